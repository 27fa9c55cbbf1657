// Runs the test cases that are named, one after the other; without a name, lists them.
#include "program.h"

int main(int count, char** names) {
  if (count == 1)
    for (const auto& [name, run] : cases())
      std::puts(name.c_str());
  for (int i = 1; i < count; ++i)
    cases().at(names[i])();
  return failures != 0;
}
