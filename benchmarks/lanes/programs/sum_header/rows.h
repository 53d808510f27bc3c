#pragma once
constexpr int kWarp = 32;
constexpr int kRows = 4;
void sum_rows(const float *in, float *out, int count, int width);
