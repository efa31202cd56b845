// launch: sgemm.of(64, 64, 8, 8)[(2, 2), 512](randn(128, 64), randn(64, 128),
// zeros(128, 128), 128, 64) equals: C ~ A @ B

#include <cassert>
#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
// A thread computes TM results of one column.
template <const int BM, const int BN, const int BK, const int TM>
__global__ void sgemm(const float* A, const float* B, float* C, int N, int K) {
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  const uint col = threadIdx.x % BN, row = threadIdx.x / BN;
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  assert(BM * BK == blockDim.x);
  float results[TM] = {0.0};
  for (uint k = 0; k < CEIL_DIV(K, BK); ++k) {
    As[threadIdx.x] = A[threadIdx.x / BK * K + threadIdx.x % BK];
    Bs[threadIdx.x] = B[threadIdx.x / BN * N + threadIdx.x % BN];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (uint dot = 0; dot < BK; ++dot) {
      float b = Bs[dot * BN + col];
      for (uint i = 0; i < TM; ++i) {
        results[i] += As[(row * TM + i) * BK + dot] * b;
      }
    }
    __syncthreads();
  }
  for (uint i = 0; i < TM; ++i) {
    C[(row * TM + i) * N + col] = results[i];
  }
}
