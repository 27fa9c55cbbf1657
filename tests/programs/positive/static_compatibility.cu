// Names that are not in the manual, but that NVIDIA's header has and public code uses.
#include "programs.h"

static_assert(ct::same_as<int, int> && !ct::same_as<int, long> && !ct::same_as<int, int const>);
static_assert(same<decltype(ct::detail::bid<0>()), unsigned> && noexcept(ct::detail::bid<2>()));
static_assert(same<decltype(ct::detail::num_blocks<1>()), unsigned>);

using span = ct::tensor_span<float, ct::extents<uint32_t, 4, 8>>;
static_assert(same<ct::partition_view<span, ct::shape<2, 2>>::rank_type, span::rank_type>);
