# One library per folder; its link edges are the allowed includes.
#   atoll_library(NAME [SOURCES file...] LINKS target...)      all .cpp files of the folder, unless SOURCES are named
#   atoll_test(NAME [SOURCES file...] [HEAVY pattern] LINKS target...)
#                                     a GoogleTest program, registered with CTest; a sanitizer build leaves out the tests of the pattern
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(GTest 1.12 REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# With ATOLL_UNITS, files of one target share translation units where they can (cmake/units.py): a whole tree of sanitizer objects, or of
# clang-tidy, costs a third. A release build keeps them apart, so each file is still seen to include what it uses.
option(ATOLL_UNITS "Compile several files of a target as one" OFF)

add_library(atoll_flags INTERFACE)
# In a unit, a constant of one file and a parameter of the next are no fault: -Wshadow is for files alone.
target_compile_options(atoll_flags INTERFACE
  -Wall -Wextra -Werror $<$<NOT:$<BOOL:${ATOLL_UNITS}>>:-Wshadow> -Wconversion -Wno-sign-conversion -Woverloaded-virtual
  -fstack-protector-strong -fno-omit-frame-pointer)
target_compile_definitions(atoll_flags INTERFACE _GLIBCXX_ASSERTIONS _TURN_OFF_PLATFORM_STRING)
target_include_directories(atoll_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_link_libraries(atoll_flags INTERFACE Threads::Threads)

# A target's files share translation units where they can.
function(atoll_units name)
  if(NOT ATOLL_UNITS)
    return()
  endif()
  execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/units.py ${ARGN}
                  WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
                  OUTPUT_VARIABLE numbers OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" numbers "${numbers}")
  foreach(source number IN ZIP_LISTS ARGN numbers)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${number})
  endforeach()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

function(atoll_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_link_libraries(${name} PUBLIC atoll_flags ${ARG_LINKS})
    atoll_units(${name} ${ARG_SOURCES})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE atoll_flags ${ARG_LINKS})
  endif()
endfunction()

include(GoogleTest)
function(atoll_test name)
  cmake_parse_arguments(ARG "" "HEAVY" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
  endif()
  if(ARG_SOURCES)
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE ${ARG_LINKS} GTest::gtest_main GTest::gmock)
    atoll_units(${name} ${ARG_SOURCES})
    target_compile_definitions(${name} PRIVATE ATOLL_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    set(filter "*")
    if(ARG_HEAVY AND NOT ATOLL_HEAVY_TESTS)
      set(filter "-${ARG_HEAVY}")
    endif()
    gtest_discover_tests(${name} TEST_FILTER ${filter} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120)
  endif()
endfunction()
