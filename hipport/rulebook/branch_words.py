"""Words by which branches are known that are for one vendor's GPUs only: rules/branches.toml."""

from hipport.rulebook.words import Words


class PythonBranches(Words, frozen=True):
    """Regular expressions for the full names in conditions of Python.

    `amd` holds on AMD's GPUs, `nvidia` does not; a `folder` is one of ROCm's; `systems` has what
    the system is called by each name for it. A decorator that is `skipping` leaves out what it
    decorates if its first argument holds, `skipping_amd` on AMD. What `showing` functions get has
    no findings whose codes `shown` matches, nor has what a dictionary keeps beside an `asked_name`
    under a `key_of_name`, or an `asked_system`, and what a `recording` function is
    given by names beside one; those of a `shown_lookup` count in calls that may do more: of
    functions other than `looking` ones, with none of the arguments that are `telling`, or `running`
    a program where nothing catches that it is missing. `printed` are those that only what is
    written there has none of. Where one of the `tried_modules` fails in silence, findings that
    `tried` matches do not count; where such a `try` only calls what it imports, those that `warmed`
    matches; where it is to fail, those that `probed` matches. In what runs on AMD's GPUs alone,
    those that `found` matches do not: who wrote it has found what there is for them.
    What runs only where a text of `theirs` is compared with has none that `vendor` matches, and an
    argument none that `given` matches, for which a function of the file returns where it is None.
    What chooses only a type that is `bfloat`, by a capability `since_ampere`, has no findings that
    `typed` matches.
    In values of names that nothing reads, those that `unread` matches do not.
    A text that an `assert` compares with something, or that a `searching` method looks for there,
    or that an exception, a `noting` call, or one with a `report` among its arguments is given, has
    no findings that `said` matches, nor has what a function that `ignoring` matches, `setup`, is
    given by a name that it ignores, nor has the name of an `option` of the program itself.
    The texts of a list with a name that `excluding` matches have no findings that `excluded` does.
    A function that goes on without the toolkit, and has a default wherever it is called, has none
    that `looked_up` matches, nor has the import of the toolkit's folder, `home`, for it.
    What a `compiling` function is given has no findings that `compiled` matches where its text has
    nothing of `not_plain`. Findings that `converted` matches about `converted_headers` do not count
    in such texts, nor in what includes the header of an `extension`; nor do those whose code and
    symbol `kept` matches, of warps that stay as they are. Findings whose code and symbol
    `tiled` matches do not count in a text that has a `barrier` and nothing `of_warps`.
    A command whose `program` has options of its own has no findings that `started` matches, one of
    NVIDIA's `assembler` none that `assembled` matches: another compiler's options have no place
    there. A table that has a name of `one_gpu` of NVIDIA's has none that `limits` matches.
    A table of texts that is only written into another has no findings that `noted` matches.
    What only makes the `flag` of an architecture, or sets an `arch_variable`, or chooses among such
    flags, has no findings that `flagged` matches: another one asks for a branch there. Those that
    `flag_given` matches do not count in what is filled in: conditions and flags have them.
    Of the branches for values of one thing, that for an `nvidia_value` is left out if there is one
    for an `amd_value`; so is it anywhere where the file compares that thing with one for AMD, but
    for what has a `neutral` name.
    """

    hints: tuple[str, ...]
    amd: str
    nvidia: str
    folder: str
    skipping: str
    skipping_amd: str
    tried_modules: str
    tried: str
    warmed: str
    probed: str
    found: str
    vendor: str
    theirs: str
    given: str
    typed: str
    bfloat: str
    since_ampere: str
    unread: str
    showing: str
    shown: str
    shown_lookup: str
    looking: str
    telling: str
    running: str
    said: str
    printed: str
    report: str
    noting: str
    searching: str
    ignoring: str
    ignored: str
    option: str
    excluding: str
    excluded: str
    looked_up: str
    home: str
    compiling: str
    compiled: str
    not_plain: str
    tiled: str
    barrier: str
    of_warps: str
    started: str
    program: str
    assembled: str
    assembler: str
    noted: str
    flagged: str
    flag_given: str
    flag: str
    arch_variable: str
    limits: str
    one_gpu: str
    extension: str
    converted: str
    converted_headers: str
    kept: str
    recording: str
    key_of_name: str
    asked_name: str
    asked_system: str
    amd_value: str
    nvidia_value: str
    neutral: str
    systems: dict[str, tuple[str, ...]]


class CMakeBranches(Words, frozen=True):
    """Regular expressions for conditions of CMake: words, variables, and values of these.

    `other_compilers` matches conditions that hold for compilers that compile nothing for AMD, or
    on systems without its GPUs.
    Findings whose code and symbol `helped` matches do not count in what an option is said to be
    for, nor those whose code `searched` matches in a command that `search` matches.
    """

    hints: tuple[str, ...]
    amd: str
    amd_value: str
    nvidia: str
    nvidia_value: str
    variable: str
    other_compilers: str
    helped: str
    search: str
    searched: str


class MakeBranches(Words, frozen=True):
    """A regular expression for what a makefile asks, as `NAME=value`, to know another system."""

    elsewhere: str


class FortranBranches(Words, frozen=True):
    """Macros that no compiler for AMD defines, for conditions of Fortran's preprocessor."""

    hints: tuple[str, ...]
    undefined: tuple[str, ...]


class ShellBranches(Words, frozen=True):
    """Regular expressions for values that are compared, and programs and folders asked for."""

    hints: tuple[str, ...]
    amd: str
    nvidia: str
    amd_tools: str
    nvidia_tools: str


class JobNames(Words, frozen=True):
    """Regular expressions for names of jobs, and the codes of findings about a `chosen` release.

    Steps with a condition that `elsewhere_if` matches run on other systems: findings whose codes
    `elsewhere` matches are not reported there. Nor are those that `described` matches in what is
    said of a thing to people, nor those that `installed` matches in a step that uses what
    `installing` matches.
    """

    hints: tuple[str, ...]
    amd: str
    nvidia: str
    chosen: str
    described: str
    elsewhere_if: str
    elsewhere: str
    installing: str
    installed: str


class RequirementLists(Words, frozen=True):
    """Regular expressions for names of lists of requirements.

    Findings whose codes `replacing` matches say that a package takes the place of one of ROCm's:
    what an extra for NVIDIA's GPUs requires does not.
    """

    hints: tuple[str, ...]
    amd: str
    nvidia: str
    replacing: str


class PortedProjects(Words, frozen=True):
    """What findings come to in a project that builds for AMD already: `answered` matches codes.

    The same holds for a module of Python with a `copyright` of AMD's, `written` by it.
    """

    answered: str
    severity: str
    because: str
    copyright: str
    written: str
    settled: str
    """Those of them that are notes in the kinds of files `settled_in`, with the code `note`."""
    settled_in: tuple[str, ...]
    note: str


class TwinSwitches(Words, frozen=True):
    """Macros by which a build switches on a library for AMD, and CUDA's in its place.

    They begin as `named` says, and end in one of the `twins`, and perhaps in an `ending`; one of
    both they have. `settled` matches the codes of findings about a test that AMD's build never
    comes to behind CUDA's; others there are a look, `because` the tree has the twin.
    """

    named: str
    ending: str
    because: str
    settled: str
    twins: dict[str, str]


class UnusedPython(Words, frozen=True):
    """Which findings ask nothing in Python that nothing in a tree names, by their codes.

    Only a name calls what has no decorators but `decorators`; `entries` run by their names.
    """

    codes: str
    decorators: str
    entries: str


class UnusedCode(Words, frozen=True):
    """What nothing in a tree uses, and where that says nothing of the code elsewhere."""

    note: str
    """The code of what a finding there becomes; `header_note` for one in a header."""
    header_note: str
    harmless: str
    """The codes of what compiles all the same, where a look is all that is asked for.

    Of those about more than that, the ones that `compiled` matches, and conditions of the
    preprocessor, by the keywords that they have.
    """
    compiled: str
    conditions: tuple[str, ...]
    attributes: tuple[str, ...]
    """What has parentheses in the head of a function, and is not its name."""
    entries: str
    """Functions that are called by their names, and `exported` what says so of one."""
    exported: str
    projects: tuple[str, ...]
    """Files at the top of a tree that say that it is whole."""
    packages: tuple[str, ...]
    """Those that say that all users of its headers are in it, but for headers that are handed out:
    in a package, as `packed` says in such a file, or by a build file of the kinds `builds`."""
    packed: str
    builds: tuple[str, ...]
    installed: str
    endings: tuple[str, ...]
    """Those of headers."""
    others: str
    """Paths of what uses nothing of the tree."""


class UnsetMacros(Words, frozen=True):
    """What nothing in a tree sets: the code of the note, that of the one where only what HIP leaves
    out sets it, and macros that are set elsewhere."""

    note: str
    left_out_note: str
    known: str


class CopiedParts(Words, frozen=True):
    """What a copy of another project has for itself: the code of the note, and the paths of such
    folders and files, as `part`. The `whole` is in such a folder."""

    note: str
    whole: str
    part: str


class AbsentSources(Words, frozen=True):
    """Sources that a build file names, and its tree lacks: the code of the note, that of the
    findings `about` such a source, and how these are `named` where the name is known as a whole, by
    its `last` part. Setup `scripts` that are not setup.py, by their paths, and how they write the
    paths of `sources`."""

    note: str
    about: str
    named: str
    scripts: str
    sources: str


class StandIn(Words, frozen=True):
    """Files that stand in for CUDA: the code of the note, and what they define as nothing."""

    note: str
    mark: str


class LeftOut(Words, frozen=True):
    """What a test of CUDA's version or architecture leaves out, and HIP does without.

    `settled` matches the codes of findings that ask nothing where HIP's branch works on the same
    names, and `stops` what such a branch does not have: it gives up, or is assembly.
    """

    settled: str
    stops: str


class Branches(Words, frozen=True):
    """rules/branches.toml."""

    python: PythonBranches
    cmake: CMakeBranches
    make: MakeBranches
    fortran: FortranBranches
    shell: ShellBranches
    yaml: JobNames
    lists: RequirementLists
    projects: PortedProjects
    switches: TwinSwitches
    unused: UnusedCode
    unused_python: UnusedPython
    unset: UnsetMacros
    copied_parts: CopiedParts
    absent: AbsentSources
    stand_in: StandIn
    left_out: LeftOut
