// Sums over vectors in device memory.
#pragma once

/// The sum of the squares of n values, all three in device memory or managed.
void sum_of_squares(const float* values, float* result, int n);

/// values[i] *= factor.
void scale(float* values, float factor, int n);
