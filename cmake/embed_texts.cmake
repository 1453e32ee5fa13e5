# Writes FUNCTION of HEADER, which gives TYPEs: the files named by ENTRIES and, with FOLLOW, all that
# they include, as texts.
#   cmake -DHEADER=mechanisms/embedded_texts.hpp -DTYPE=hillock::mechanisms::EmbeddedText -DROOT=folder -DENTRIES=a.hpp,b.hpp -DFUNCTION=name -DFOLLOW=ON -DOUT=file.cpp -DDEPFILE=file.d -P embed_texts.cmake
cmake_minimum_required(VERSION 3.25)
string(REPLACE "," ";" waiting "${ENTRIES}")
set(names)
set(texts "")
while(waiting)
  list(POP_FRONT waiting name)
  if(name IN_LIST names)
    continue()
  endif()
  list(APPEND names ${name})
  file(READ ${ROOT}/${name} text)
  string(APPEND texts "    {\"${name}\", R\"header_text(${text})header_text\"},\n")
  if(FOLLOW)
    string(REGEX MATCHALL "#include \"[^\"]+\"" includes "${text}")
    foreach(include IN LISTS includes)
      string(REGEX REPLACE "#include \"([^\"]+)\"" "\\1" include "${include}")
      list(APPEND waiting ${include})
    endforeach()
  endif()
endwhile()
string(REGEX REPLACE "::[^:]+$" "" namespace ${TYPE})
file(WRITE ${OUT} "// Written by cmake/embed_texts.cmake.
#include \"${HEADER}\"

namespace ${namespace} {

std::span<const ${TYPE}> ${FUNCTION}() {
  static constexpr ${TYPE} all[] = {
${texts}  };
  return all;
}

}  // namespace ${namespace}
")
list(TRANSFORM names PREPEND "${ROOT}/")
list(JOIN names " " names)
file(WRITE ${DEPFILE} "${OUT}: ${names}\n")
