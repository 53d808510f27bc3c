"""Words of languages and file systems: one structure for each file of them in rules/."""

# Annotations are evaluated here, once, and not as texts when a file is read: that takes longer.
import msgspec


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True, eq=False):
    """A file of words, or a table in one."""


class Edition(Words, frozen=True):
    """rules/edition.toml."""

    rocm: str
    date: str
    releases: tuple[str, ...] = ()
    """The releases of ROCm that a table of all lists, from old to new."""


class DeviceCode(Words, frozen=True):
    """rules/device_code.toml."""

    keywords: frozenset[str]
    clang_keywords: frozenset[str]
    variables: frozenset[str]
    compiler_macros: frozenset[str]
    function_keywords: tuple[str, ...]
    host_keyword: str
    ported_macros: str
    release_macros: str
    macros_set_for_amd: str
    cuda_macros: str
    macros_set_for_cuda: str
    macros_never_defined: frozenset[str]
    library_headers: str
    library_macros: str
    macros_of_cuda_only: frozenset[str]
    macros_of_nvcc: frozenset[str]
    architecture_macro: str
    """What an NVIDIA GPU's compiler has its compute capability in; AMD's have none of it."""
    stops: str
    """What says in a branch that a GPU is not supported."""
    macros_of_projects: str
    macros_of_tools: dict[str, str]


class ImplicitRuntime(Words, frozen=True):
    guards: tuple[str, ...]
    condition: str


class BroughtHeader(Words, frozen=True):
    """A header that others bring along: names that need it, what brings it, what does in HIP.

    Without `by`, any header may bring it.
    """

    names: str
    instead: frozenset[str] = msgspec.field(name="or")
    by: frozenset[str] = frozenset()


class HostHeader(Words, frozen=True):
    """A host header: functions that need it, headers that serve as well, and its condition."""

    functions: frozenset[str]
    instead: tuple[str, ...] = msgspec.field(name="or")
    on_devices: bool = False
    condition: str = ""


class LinesBefore(Words, frozen=True):
    """Lines before an include: where a file has the names, and with `always` in each header."""

    names: str
    lines: tuple[str, ...]
    always: bool = False
    rocm_from: str = ""
    rocm_before: str = ""


class RuntimeHeader(Words, frozen=True):
    """rules/runtime_header.toml."""

    libraries: frozenset[str]
    vector_types: str
    header: str
    header_c: str
    own_macros: str
    """Names of a source's own macros that the headers may have for something else."""
    first: tuple[str, ...]
    first_libraries: tuple[str, ...]
    written_out: frozenset[str]
    newest: dict[str, str]
    """CUDA header that only the newest releases have a counterpart of -> what a use of it is."""
    unknown_headers: str
    torch_headers: str
    implicit: ImplicitRuntime
    brought_headers: dict[str, BroughtHeader]
    host_headers: dict[str, HostHeader]
    lines_before: dict[str, LinesBefore]

    def of(self, language: str) -> str:
        """The header for a language: C has one of its own."""
        return self.header_c if language == "c" else self.header


class Spellings(Words, frozen=True):
    """rules/spellings.toml."""

    launch_macro: str
    kernel_name_macro: str
    dimension_type: str
    dimension_vector: str
    vector_maker: str
    void_pointer_cast: str
    void_pointer_cast_c: str
    takes_kernels: frozenset[str]
    launch_functions: dict[str, tuple[int, int]]
    """Name -> the place of its first argument about the grid, and how many that takes; as many
    for the block follow."""
    status_values: str
    truth: dict[str, str]
    struct_tags: dict[str, str]


class UnbuiltSources(Words, frozen=True):
    """Sources with `endings` that a build lists, in files of some kinds and names.

    `scripts` are the kinds of files that may build some by themselves, as Python may. Patterns:
    `comments`, the names of sources, how sources are `found` without them, and paths of `older`
    copies, without the ending: as `stem` that of the source that they are a copy of.
    """

    endings: tuple[str, ...]
    kinds: tuple[str, ...]
    files: tuple[str, ...]
    scripts: tuple[str, ...]
    comments: tuple[str, ...]
    named: str
    older: str
    found: tuple[str, ...]


class Notebooks(Words, frozen=True):
    """Commands of IPython's -> the kind of a cell that begins with one, and of a line.

    `file`: what the name of the file says that the cell is written to. Cells are Python otherwise.
    """

    cells: dict[str, str]
    lines: dict[str, str]


class FileKinds(Words, frozen=True):
    """rules/file_kinds.toml."""

    translation_units: tuple[str, ...]
    other_devices: frozenset[str]
    cpu_paths: str
    builds: tuple[str, ...]
    builds_without_gpu: str
    languages: dict[str, str]
    port_parts: dict[str, tuple[str, ...]]
    port_words: str
    port_queries: str
    computing: str
    marked_ports: tuple[str, ...]
    port_marks: tuple[str, ...]
    other_files: dict[str, str]
    interpreters: dict[str, str]
    unbuilt: UnbuiltSources
    notebooks: Notebooks


class VendoredCopy(Words, frozen=True):
    """A library of which trees carry a copy: the files by which it is known."""

    library: str
    files: tuple[str, ...]
    instead: str
    folder: str = ""
    part: str = ""
    """Expressions for a folder that is the copy as a whole, and for the copy in any other."""
    finding: str = "HP-VENDOR-001"
    has_own_binaries: bool = False
    """Whether binaries in it are the tree's own, as what a build makes, and are looked at."""


class Vendored(Words, frozen=True):
    """rules/vendored.toml."""

    copies: tuple[VendoredCopy, ...]
    placeholder: str
    """What a file that only stands for the library's says of itself."""


class Requirements(Words, frozen=True):
    """rules/requirements.toml."""

    shapes: tuple[str, ...]
    shapes_of_python: tuple[str, ...]
    requiring_python: str


class KernelText(Words, frozen=True):
    """An argument that is the text of a kernel, or a `body`: statements of a function."""

    place: int
    name: str
    body: bool = False


class PythonCompiler(Words, frozen=True):
    """Functions of Python, by their full names, and their arguments that are texts of kernels."""

    functions: tuple[str, ...]
    texts: tuple[KernelText, ...]


class PythonKernels(Words, frozen=True):
    ported: str
    same_functions: frozenset[str]
    same_methods: frozenset[str]
    reading: tuple[str, ...]
    compiling_files: tuple[str, ...]
    compilers: tuple[PythonCompiler, ...]


class Embedding(Words, frozen=True):
    """How a program takes the text of a file in: endings of its files, and where names stand."""

    files: tuple[str, ...]
    pattern: str


class KernelStrings(Words, frozen=True):
    """rules/kernel_strings.toml."""

    compilers: dict[str, int]
    python: PythonKernels
    embedding: Embedding


class WarpDevice(Words, frozen=True):
    """How the host asks for the warp size."""

    structures: tuple[str, ...]
    returning: tuple[str, ...]
    sizes: tuple[str, ...]
    attributes: tuple[str, ...]
    asking: tuple[str, ...]
    helper: str
    showing: str


class WarpTemplate(Words, frozen=True):
    """The place of the argument for the lanes of a warp, and the default of the one before it."""

    place: int
    before: str = ""


class Warps(Words, frozen=True):
    """rules/warps.toml: what becomes of CUDA's warps of 32 lanes."""

    header: str
    namespace: str
    variable: str
    lanes: str
    kept: str
    kept_at_first: str
    tensor_cores: str
    roles: str
    words: str
    native: frozenset[str]
    cub_namespaces: tuple[str, ...]
    helpers: dict[str, str]
    registers: dict[str, str]
    device: WarpDevice
    functions: dict[str, str]
    macros: dict[str, str]
    templates: dict[str, WarpTemplate]


class DeviceFunctions(Words, frozen=True):
    """rules/device_functions.toml: what replaces functions that HIP lacks."""

    header: str
    namespace: str
    helpers: dict[str, str]
    of_integers: dict[str, str]
    """The same, where the arguments are integers."""


class Waiting(Words, frozen=True):
    """How threads wait for others."""

    takes: dict[str, int]
    reads: str
    loads: str
    changing_nothing: str
    changing: str
    idle: str
    writes: str
    draws: str
    broadcast: str
    shared: str
    volatile: str
    of_system: str
    system: str


class ByWarps(Words, frozen=True):
    """What depends on warps in a kernel: `words`, or memory that is `shared` without a barrier."""

    words: str
    shared: str
    barrier: str


class ActiveGroups(Words, frozen=True):
    """Groups of the active lanes of a wavefront."""

    hints: tuple[str, ...]
    made: str
    """Where one gets its `name`, or its name behind `auto`."""
    sets: str
    """Its members that return a set of lanes."""


class Lanes(Words, frozen=True):
    """rules/lanes.toml: the words by which lanes are followed."""

    thread: frozenset[str]
    warp_size: tuple[str, ...]
    lanes: int
    lane_bits: int
    constants: frozenset[int]
    lane_functions: frozenset[str]
    set_functions: frozenset[str]
    passing: frozenset[str]
    attributes: frozenset[str]
    kernel: str
    launch_bounds: str
    waiting: Waiting
    by_warps: ByWarps
    active_groups: ActiveGroups
    masks: dict[str, str]


class Library(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One table of rules/libraries.toml."""

    name: str
    title: str
    file: str = "its library"
    """Where ROCm's counterpart has its functions at run time, as a name or in words."""
    policy: str = "map"
    roc: bool = False
    unknown: str = ""
    stems: tuple[str, ...] = ()
    kept: str = ""
    """The finding that reports headers that are kept."""
    told: str = ""
    """The finding that reports its names and headers where they stay, in place of one for each."""
    docs: tuple[str, ...] = ()
    """Addresses of the documentation of the library and of its counterpart in ROCm."""
    only_with: dict[str, str] = {}
    """Shape of names -> the word without which a file has them from another library."""
