// Complex numbers of <cuComplex.h>.
#include "program.h"

#include <cuComplex.h>
#include <nvtx3/nvToolsExt.h>

namespace {

bool is(cuDoubleComplex z, double x, double y) { return cuCreal(z) == x && cuCimag(z) == y; }
bool is(cuFloatComplex z, float x, float y) { return cuCrealf(z) == x && cuCimagf(z) == y; }

} // namespace

CASE(complex_numbers) {
  const cuDoubleComplex a = make_cuDoubleComplex(1, 2), b = make_cuDoubleComplex(3, -4);
  CHECK(is(cuCadd(a, b), 4, -2) && is(cuCsub(a, b), -2, 6) && is(cuCmul(a, b), 11, 2));
  CHECK(is(cuCfma(a, b, a), 12, 4) && is(cuConj(b), 3, 4) && cuCabs(b) == 5);
  const cuDoubleComplex ratio = cuCdiv(cuCmul(a, b), b); // within a few units in the last place
  CHECK(std::abs(ratio.x - 1) < 1e-15 && std::abs(ratio.y - 2) < 1e-15);
  const cuComplex large = make_cuComplex(1e30f, 1e30f); // whose square is infinite
  CHECK(is(cuCdivf(large, large), 1, 0) && cuCabsf(large) > 1.4e30f);
  CHECK(is(cuComplexDoubleToFloat(a), 1, 2) && is(cuComplexFloatToDouble(large), 1e30f, 1e30f));
  CHECK(nvtxRangePush("a range") == 0 && nvtxRangePop() == 0);
}
