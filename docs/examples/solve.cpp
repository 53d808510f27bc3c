#include <hipblas/hipblas.h>
#include <hipcub/hipcub.hpp>

void f(hipblasHandle_t handle, hipDoubleComplex *x, int *at) {
  hipblasIzamax_v2(handle, 4, x, 1, at);
  hipcub::CountingInputIterator<int> numbers(0);
}
