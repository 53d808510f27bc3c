"""Words for build files: the structures of rules/build.toml."""

from hipport.rulebook.words import Words


class CMakeWords(Words, frozen=True):
    """Words of CMake, in rules/build.toml."""

    language: str
    hip_language: str
    minimum: str
    compiler_ids: dict[str, str]
    source_ending: str
    hip_ending: str
    project_keywords: tuple[str, ...]
    language_commands: tuple[str, ...]
    old_prefix: str
    package_commands: tuple[str, ...]
    package_options: tuple[str, ...]
    target_commands: tuple[str, ...]
    library_types: tuple[str, ...]
    configurations: tuple[str, ...]
    no_sources: tuple[str, ...]
    flag_commands: tuple[str, ...]
    option_commands: tuple[str, ...]
    option_properties: tuple[str, ...]
    header_commands: tuple[str, ...]
    scopes: tuple[str, ...]
    defining_commands: tuple[str, ...]
    definitions: tuple[str, ...]
    own_variable: str
    hip_runtime_target: str
    hip_package: str
    libraries_of: dict[str, str]
    include_variable: str
    platform_macro: str
    separable_flag: str
    separable_link_flags: tuple[str, ...]
    source_command: str
    source_variable: str


class NewCppWords(Words, frozen=True):
    """ROCm's headers that need a newer C++ from a release on; how builds ask for an older one."""

    since: str
    hints: tuple[str, ...]
    setting: str
    includes: str


class CppHeaderWords(Words, frozen=True):
    """Headers of ROCm that are C++, where CUDA's are C."""

    names: frozenset[str]


class HostHeaderWords(Words, frozen=True):
    """What tells host compilers of HIP's headers, and which sources they compile."""

    kinds: tuple[str, ...]
    header: str
    given: str
    as_device_code: str
    projects: dict[str, tuple[str, ...]]
    compiling: str


class BuildFileWords(Words, frozen=True):
    """rules/build.toml."""

    hints: tuple[str, ...]
    cuda: str
    platform_flag: str
    ported_hints: tuple[str, ...]
    ported: str
    nvcc_flag: str
    flag_variable: str
    setup: str
    library_list: str
    host_variable: str
    libtool: str
    wrapper: str
    compiler: str
    unlinked: str
    device_link: str
    host_linker: str
    empty_object: str
    version: str
    talk: str
    file_commands: tuple[str, ...]
    compiler_name: str
    hip_compiler: str
    findings: dict[str, tuple[str, ...]]
    new_cpp: NewCppWords
    host_headers: HostHeaderWords
    cpp_headers: CppHeaderWords
    cmake: CMakeWords
