# One library per folder; its link edges are the allowed includes.
#   atoll_library(NAME [SOURCES file...] LINKS target...)      all .cpp files of the folder, unless SOURCES are named
#   atoll_test(NAME [SOURCES file...] LINKS target...)         a GoogleTest program, registered with CTest
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(GTest 1.12 REQUIRED)

add_library(atoll_flags INTERFACE)
target_compile_options(atoll_flags INTERFACE
  -Wall -Wextra -Werror -Wshadow -Wconversion -Wno-sign-conversion -Woverloaded-virtual
  -fstack-protector-strong -fno-omit-frame-pointer)
target_compile_definitions(atoll_flags INTERFACE _GLIBCXX_ASSERTIONS _TURN_OFF_PLATFORM_STRING)
target_include_directories(atoll_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_link_libraries(atoll_flags INTERFACE Threads::Threads)

function(atoll_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_link_libraries(${name} PUBLIC atoll_flags ${ARG_LINKS})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE atoll_flags ${ARG_LINKS})
  endif()
endfunction()

include(GoogleTest)
function(atoll_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
  endif()
  if(ARG_SOURCES)
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE ${ARG_LINKS} GTest::gtest_main GTest::gmock)
    target_compile_definitions(${name} PRIVATE ATOLL_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120)
  endif()
endfunction()
