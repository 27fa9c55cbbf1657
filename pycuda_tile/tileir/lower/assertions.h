// How an assertion fails on the host: an exception, which ends the launch. build.py knows its words.
#include <exception>

namespace tileir {

class assertion_failed final : public std::exception {
public:
  assertion_failed(int assertion, unsigned position) {
    __builtin_snprintf(text_, sizeof text_, "assertion %d at element %u", assertion, position);
  }
  char const* what() const noexcept override { return text_; }

private:
  char text_[64];
};

[[noreturn, gnu::cold]] inline void fail(int assertion, unsigned position) {
  throw assertion_failed(assertion, position);
}

} // namespace tileir
