// [2.14] irange: a range of integers with a step.
#include "programs.h"

using range = ct::irange<int>;
using iterator = ct::irange_iterator<int>;
using sentinel = decltype(any<range>().end());

// types
static_assert(same<range::iterator, iterator> && same<range::const_iterator, iterator>);
static_assert(same<iterator::difference_type, long> && same<iterator::value_type, int>);
static_assert(same<decltype(any<range>().begin()), iterator> && same<decltype(*any<iterator>()), int>);
static_assert(same<decltype(++any<iterator&>()), iterator&> && same<decltype(any<iterator&>()++), iterator>);
static_assert(same<decltype(any<range>().size()), long>); // #irange-size
static_assert(same<decltype(any<range>().empty()), bool>);
static_assert(same<decltype(any<ct::irange<short>>().step()), short>);
static_assert(constructible<iterator> && constructible<sentinel> && constructible<iterator, int, int>);
static_assert(implicit<int, sentinel>);
static_assert(__is_trivially_copyable(range) && __is_trivially_copyable(iterator));
static_assert(noexcept(range(0, 1)) && noexcept(any<range>().begin()) && noexcept(any<range>().size()));
static_assert(noexcept(++any<iterator&>()) && noexcept(any<iterator>() == any<sentinel>()));

// deduction: the type of the bounds' and the step's arithmetic conversion
static_assert(same<decltype(ct::irange(0, 10)), ct::irange<int>>);
static_assert(same<decltype(ct::irange(0u, 10u)), ct::irange<unsigned>>);
static_assert(same<decltype(ct::irange(short(0), short(10))), ct::irange<short>>);
static_assert(same<decltype(ct::irange(0, 10ll)), ct::irange<long long>>);
static_assert(same<decltype(ct::irange(short(0), 10, 2)), ct::irange<int>>);
static_assert(same<decltype(ct::irange(short(0), short(10), 2ll)), ct::irange<long long>>);
template <typename... T>
concept has_range = requires(T... bounds) { ct::irange(bounds...); };
static_assert(has_range<int, int> && has_range<int, long, short>);
static_assert(!has_range<int, unsigned> && !has_range<int, int, unsigned>);
static_assert(!has_range<int, float> && !has_range<int, int*> && !has_range<int>);

// in constant expressions
static_assert(ct::irange(5, 12, 2).lower_bound() == 5 && ct::irange(5, 12, 2).upper_bound() == 12);
static_assert(ct::irange(5, 12, 2).step() == 2 && ct::irange(5, 12).step() == 1);
static_assert(ct::irange(5, 12, 2).size() == 4 && ct::irange(5, 13, 2).size() == 4 &&
              ct::irange(5, 14, 2).size() == 5);
static_assert(ct::irange(-10, -6).size() == 4 && ct::irange(0, 1).size() == 1);
static_assert(ct::irange(20, 10).empty() && ct::irange(20, 20).empty() && !ct::irange(20, 21).empty());
static_assert(ct::irange(20, 10).size() == 0 && ct::irange(20, 20).size() == 0);
static_assert(ct::irange<unsigned char>(0, 246, 10).size() == 25);
static_assert(ct::irange<signed char>(-128, 127).size() == 255);               // #irange-size
static_assert(ct::irange(-2147483647 - 1, 2147483647).size() == 4294967295ll); // #irange-size
static_assert(*ct::irange(5, 12, 2).begin() == 5);
static_assert(iterator(5, 2) == iterator(5, 3) && iterator(5, 2) != iterator(7, 2)); // by position alone
static_assert(iterator(5, 2) != sentinel(7) && iterator(7, 2) == sentinel(7) &&
              iterator(8, 2) == sentinel(7));
static_assert(*++iterator(5, 2) == 7 && *iterator(5, 2)++ == 5);

template <typename R>
__tile__ constexpr long long total(R range) {
  long long sum = 0;
  for (auto i : range)
    sum = 100 * sum + i;
  return sum;
}
static_assert(total(ct::irange(5, 12, 2)) == 5070911);
static_assert(total(ct::irange(5, 11, 2)) == 50709);
static_assert(total(ct::irange(20, 10)) == 0);
static_assert(total(ct::irange<unsigned char>(200, 246, 10)) ==
              (((200ll * 100 + 210) * 100 + 220) * 100 + 230) * 100 + 240);
