# Writes a function of mechanisms/embedded_texts.hpp: the files named by ENTRIES and, with FOLLOW,
# all that they include, as texts.
#   cmake -DROOT=folder -DENTRIES=a.hpp,b.hpp -DFUNCTION=name -DFOLLOW=ON -DOUT=file.cpp -DDEPFILE=file.d -P embed_texts.cmake
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
file(WRITE ${OUT} "// Written by mechanisms/embed_texts.cmake.
#include \"mechanisms/embedded_texts.hpp\"

namespace hillock::mechanisms {

std::span<const EmbeddedText> ${FUNCTION}() {
  static constexpr EmbeddedText all[] = {
${texts}  };
  return all;
}

}  // namespace hillock::mechanisms
")
list(TRANSFORM names PREPEND "${ROOT}/")
list(JOIN names " " names)
file(WRITE ${DEPFILE} "${OUT}: ${names}\n")
