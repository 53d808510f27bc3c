# Builds HIP from CUDA sources: find_package(hipport), then hipport_target(TARGET target).
# The sources stay CUDA; they are converted into the build folder as part of the build.
# `hipport cmake-dir` prints the folder of this file: -Dhipport_DIR=...

if(CMAKE_VERSION VERSION_LESS 3.21)
  set(hipport_FOUND FALSE)
  set(hipport_NOT_FOUND_MESSAGE "hipport needs CMake 3.21, which knows the language HIP")
  return()
endif()

cmake_policy(PUSH)
cmake_policy(VERSION 3.21)

# The program that was installed with this file comes first.
find_program(HIPPORT_EXECUTABLE hipport
  HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../../../bin" "${CMAKE_CURRENT_LIST_DIR}/../../../../Scripts"
  DOC "The program hipport")
if(NOT HIPPORT_EXECUTABLE)
  set(hipport_FOUND FALSE)
  set(hipport_NOT_FOUND_MESSAGE "no program hipport: set HIPPORT_EXECUTABLE to its path")
  cmake_policy(POP)
  return()
endif()
execute_process(COMMAND "${HIPPORT_EXECUTABLE}" cmake-dir --python
  OUTPUT_VARIABLE HIPPORT_PYTHON OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE _hipport_failed)
if(_hipport_failed)
  set(hipport_FOUND FALSE)
  set(hipport_NOT_FOUND_MESSAGE "${HIPPORT_EXECUTABLE} cmake-dir failed: ${_hipport_failed}")
  cmake_policy(POP)
  return()
endif()

option(HIPPORT_WERROR "Fail the build on findings of hipport" OFF)

# hipport_target(TARGET target [LIBS hip|roc] [LAUNCH ggl|keep] [ROCM version] [ROOTS folder...])
#
# Makes a HIP target of a CUDA target that has all its sources and properties. Call it last.
# LIBS, LAUNCH and ROCM are options of `hipport convert`. Headers below ROOTS are converted where
# the sources include them; by default, those of the source and build trees.
function(hipport_target)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;LIBS;LAUNCH;ROCM" "ROOTS")
  if(NOT TARGET "${arg_TARGET}" OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hipport_target(TARGET target [LIBS hip|roc] [LAUNCH ggl|keep] "
      "[ROCM version] [ROOTS folder...]): ${arg_UNPARSED_ARGUMENTS} no target '${arg_TARGET}'")
  endif()
  get_property(type TARGET ${arg_TARGET} PROPERTY TYPE)
  if(NOT type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY)$")
    message(FATAL_ERROR "hipport_target(TARGET ${arg_TARGET}): ${type} has nothing to compile")
  endif()
  if(NOT CMAKE_HIP_COMPILER_LOADED)
    message(FATAL_ERROR "hipport_target(TARGET ${arg_TARGET}): HIP is not enabled; "
      "add it to project(... LANGUAGES CXX HIP)")
  endif()
  get_property(done TARGET ${arg_TARGET} PROPERTY HIPPORT_DIR)
  if(done)
    return()
  endif()
  if(NOT arg_LIBS)
    set(arg_LIBS hip)
  endif()
  if(NOT arg_ROOTS)
    set(arg_ROOTS "${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}")
  endif()
  set(work "${CMAKE_CURRENT_BINARY_DIR}/hipport/${arg_TARGET}")
  set(output "${work}")
  set(sources "")
  set(results "")
  set(properties "")
  string(ASCII 30 record)
  string(ASCII 31 unit)
  _hipport_sources()
  _hipport_properties()
  _hipport_include_folders()
  _hipport_conversion()
  set_property(TARGET ${arg_TARGET} PROPERTY HIPPORT_DIR "${output}")
endfunction()

# Replaces the sources by their converted ones, which keep what was set for each.
macro(_hipport_sources)
  get_property(given TARGET ${arg_TARGET} PROPERTY SOURCES)
  get_property(folder TARGET ${arg_TARGET} PROPERTY SOURCE_DIR)
  get_property(binary TARGET ${arg_TARGET} PROPERTY BINARY_DIR)
  set(new "")
  set(has_host_code FALSE)
  foreach(source IN LISTS given)
    if(source MATCHES "\\$<.*\\.cu" OR source MATCHES "\\.cu>")
      message(FATAL_ERROR "hipport_target(TARGET ${arg_TARGET}): ${source}: sources in generator "
        "expressions are not known yet; add them with if()")
    elseif(NOT source MATCHES "\\.(cu|c|cc|cpp|cxx|c\\+\\+|C)$" OR source MATCHES "\\$<")
      list(APPEND new "${source}")
      continue()
    endif()
    set(path "${source}")
    if(NOT IS_ABSOLUTE "${path}")
      set(path "${folder}/${source}")
      if(NOT EXISTS "${path}")
        set(path "${binary}/${source}")
      endif()
    endif()
    get_filename_component(path "${path}" ABSOLUTE)
    get_property(language SOURCE "${source}" TARGET_DIRECTORY ${arg_TARGET} PROPERTY LANGUAGE)
    if(language STREQUAL "CUDA" OR (path MATCHES "\\.cu$" AND NOT language))
      set(language HIP)
    elseif(NOT language STREQUAL "HIP")
      set(has_host_code TRUE)
    endif()
    string(REGEX REPLACE "^([A-Za-z]):" "" mirrored "${path}")
    set(result "${output}/src${mirrored}")
    list(APPEND sources "${path}")
    list(APPEND results "${result}")
    list(APPEND new "${result}")
    set_source_files_properties("${result}" TARGET_DIRECTORY ${arg_TARGET} PROPERTIES GENERATED TRUE)
    if(language)
      set_source_files_properties("${result}" TARGET_DIRECTORY ${arg_TARGET}
        PROPERTIES LANGUAGE ${language})
    endif()
    foreach(name COMPILE_DEFINITIONS COMPILE_OPTIONS COMPILE_FLAGS INCLUDE_DIRECTORIES
        OBJECT_DEPENDS SKIP_PRECOMPILE_HEADERS SKIP_UNITY_BUILD_INCLUSION)
      get_property(is_set SOURCE "${source}" TARGET_DIRECTORY ${arg_TARGET} PROPERTY ${name} SET)
      if(is_set)
        get_property(value SOURCE "${source}" TARGET_DIRECTORY ${arg_TARGET} PROPERTY ${name})
        set(scope "SOURCE \"${result}\" TARGET_DIRECTORY ${arg_TARGET}")
        _hipport_give()
      endif()
    endforeach()
  endforeach()
  set_property(TARGET ${arg_TARGET} PROPERTY SOURCES "${new}")
endmacro()

# Notes that the property `name` of `scope` has `value`, for the step that says what HIP has for it.
macro(_hipport_give)
  string(APPEND properties "${scope}${unit}${name}${unit}${value}${record}")
endmacro()

# Sets flags, libraries and standards to their counterparts, by the rules of `hipport convert`.
macro(_hipport_properties)
  set(given_file "${work}/properties-given.txt")
  set(made_file "${work}/properties.cmake")
  set(scope "TARGET ${arg_TARGET}")
  foreach(name COMPILE_OPTIONS LINK_OPTIONS LINK_LIBRARIES INTERFACE_LINK_LIBRARIES
      INTERFACE_COMPILE_OPTIONS INTERFACE_LINK_OPTIONS COMPILE_FEATURES
      INTERFACE_COMPILE_FEATURES CUDA_STANDARD CUDA_STANDARD_REQUIRED
      CUDA_EXTENSIONS CUDA_VISIBILITY_PRESET CUDA_SEPARABLE_COMPILATION)
    get_property(value TARGET ${arg_TARGET} PROPERTY ${name})
    if(name STREQUAL "COMPILE_OPTIONS")
      _hipport_cuda_flags()
    elseif(name STREQUAL "LINK_LIBRARIES" AND has_host_code)
      list(APPEND value CUDA::cudart)
    endif()
    if(NOT "${value}" STREQUAL "")
      _hipport_give()
    endif()
  endforeach()
  file(WRITE "${given_file}" "${properties}")
  execute_process(
    COMMAND "${HIPPORT_PYTHON}" -m hipport.cmake properties --libs ${arg_LIBS}
      "${given_file}" "${made_file}"
    RESULT_VARIABLE result ERROR_VARIABLE said)
  if(result GREATER 1 OR NOT result MATCHES "^[0-9]+$")
    message(FATAL_ERROR "hipport_target(TARGET ${arg_TARGET}): ${said}")
  elseif(result AND HIPPORT_WERROR)
    message(SEND_ERROR "hipport_target(TARGET ${arg_TARGET}): ${said}")
  elseif(said)
    message(WARNING "hipport_target(TARGET ${arg_TARGET}): ${said}")
  endif()
  # Targets that link this one elsewhere must see the packages, too (CMake 3.24).
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
  include("${made_file}")
endmacro()

# CMAKE_CUDA_FLAGS: the language may not be enabled, but projects set its flags all the same.
macro(_hipport_cuda_flags)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CUDA_FLAGS}")
  if(flags)
    list(APPEND value "$<$<COMPILE_LANGUAGE:CUDA>:${flags}>")
  endif()
  foreach(config Debug Release RelWithDebInfo MinSizeRel)
    string(TOUPPER ${config} upper)
    separate_arguments(flags UNIX_COMMAND "${CMAKE_CUDA_FLAGS_${upper}}")
    if(flags AND NOT CMAKE_CUDA_COMPILER_LOADED)
      list(APPEND value "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<CONFIG:${config}>>:${flags}>")
    endif()
  endforeach()
endmacro()

# Has the compiler look for headers among the converted ones first.
macro(_hipport_include_folders)
  get_property(value TARGET ${arg_TARGET} PROPERTY INCLUDE_DIRECTORIES)
  set_property(TARGET ${arg_TARGET} PROPERTY INCLUDE_DIRECTORIES "${output}/include" ${value})
  file(GENERATE OUTPUT "${work}/includes-$<CONFIG>.txt"
    CONTENT "$<JOIN:$<TARGET_PROPERTY:${arg_TARGET},INCLUDE_DIRECTORIES>,\n>\n")
endmacro()

# Converts when a source, a header, the configuration or the rules have changed.
macro(_hipport_conversion)
  list(JOIN sources "\n" lines)
  file(GENERATE OUTPUT "${work}/sources.txt" CONTENT "${lines}\n")
  set(configs "${CMAKE_BUILD_TYPE}")
  if(CMAKE_CONFIGURATION_TYPES)
    set(configs ${CMAKE_CONFIGURATION_TYPES})
  endif()
  set(options --libs ${arg_LIBS})
  set(inputs "${work}/sources.txt")
  foreach(name LAUNCH ROCM)
    if(arg_${name})
      string(TOLOWER ${name} option)
      list(APPEND options --${option} "${arg_${name}}")
    endif()
  endforeach()
  foreach(config IN LISTS configs)
    list(APPEND options --includes "${work}/includes-${config}.txt")
    list(APPEND inputs "${work}/includes-${config}.txt")
  endforeach()
  if(NOT configs)
    list(APPEND options --includes "${work}/includes-.txt")
  endif()
  foreach(root IN LISTS arg_ROOTS)
    get_filename_component(root "${root}" ABSOLUTE)
    list(APPEND options --root "${root}")
  endforeach()
  if(HIPPORT_WERROR)
    list(APPEND options --werror)
  endif()
  set(stamp "${work}/converted")
  # The results are by-products: where their text stays the same, so does their time, and
  # neither make nor ninja compiles them again.
  add_custom_command(OUTPUT "${stamp}" BYPRODUCTS ${results}
    COMMAND "${HIPPORT_PYTHON}" -m hipport.cmake sources ${options}
      --sources "${work}/sources.txt" --output "${output}" --stamp "${stamp}"
    DEPENDS ${sources} ${inputs} DEPFILE "${stamp}.d"
    COMMENT "Converting ${arg_TARGET} from CUDA to HIP" VERBATIM)
  add_custom_target(${arg_TARGET}_hipport DEPENDS "${stamp}")
  add_dependencies(${arg_TARGET} ${arg_TARGET}_hipport)
endmacro()

cmake_policy(POP)
