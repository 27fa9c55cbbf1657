/* C-like old style */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <stdint.h>
#include "cuda_tile.h"
#define N 1024
#define MIN(a, b) ((a) < (b) ? (a) : (b))
static int verbose = 0;
typedef struct { int rows, cols; float* data; } matrix_t;
__tile_global__ void transpose(const float* in, float* out, int rows, int cols)
{
    namespace ct = cuda::tiles;
    auto src = ct::partition_view{ct::tensor_span{in, ct::extents{rows, cols}}, ct::shape<16, 16>{}};
    auto dst = ct::partition_view{ct::tensor_span{out, ct::extents{cols, rows}}, ct::shape<16, 16>{}};
    dst.store_masked(ct::transpose(src.load_masked(ct::bid().y, ct::bid().x)), ct::bid().x, ct::bid().y);
}
__tile_global__ void histogram(const uint8_t *in, unsigned int *bins, int n)
{
    unsigned int counts[4] = {0, 0, 0, 0};
    int i;
    for (i = 0; i < n; i++)
        counts[in[i] & 3]++;
    for (i = 0; i < 4; i++)
        bins[i] = counts[i];
}
static matrix_t make_matrix(int r, int c) { matrix_t m; m.rows = r; m.cols = c; m.data = (float*)malloc(r * c * sizeof(float)); memset(m.data, 0, r * c * 4); return m; }
void usage(const char *prog) { fprintf(stderr, "usage: %s [-v]\n", prog); exit(1); }
int main(int argc, char **argv)
{
    if (argc > 1) { if (!strcmp(argv[1], "-v")) verbose = 1; else goto bad; }
    matrix_t m = make_matrix(N, N);
    dim3 grid(N / 16, N / 16);
    transpose<<<grid, 1>>>(m.data, m.data, N, N);
    printf("%d %f\n", MIN(m.rows, 3), sqrt(2.0));
    free(m.data);
    return 0;
bad:
    usage(argv[0]);
    return 1;
}
