import type { Weight } from './onnx-graph.ts';
import type { FloatTensor } from './safetensors.ts';

const BLOCK = 32;

/**
 * Quantizes a matrix for MatMulNBits of ONNX Runtime: each block of 32 numbers of a row has one scale, and each number
 * has 8 bits, with 128 as zero. Returns the numbers and the scales.
 */
export function quantizeRows({ shape, values }: FloatTensor): [Weight, Weight] {
  const [rows = 0, columns = 0] = shape;
  const blocks = Math.ceil(columns / BLOCK);
  // The numbers that fill the last block of a row are zeros.
  const data = new Uint8Array(rows * blocks * BLOCK).fill(128);
  const scales = new Float32Array(rows * blocks);
  for (let row = 0; row < rows; row++) {
    for (let block = 0; block < blocks; block++) {
      const from = block * BLOCK;
      const part = values.subarray(row * columns + from, row * columns + Math.min(columns, from + BLOCK));
      let largest = 0;
      for (const value of part) largest = Math.max(largest, Math.abs(value));
      const scale = largest / 127;
      scales[row * blocks + block] = scale;
      if (scale === 0) continue;
      const at = (row * blocks + block) * BLOCK;
      for (const [i, value] of part.entries()) data[at + i] = 128 + Math.round(value / scale);
    }
  }
  return [
    { type: 'uint8', shape: [rows, blocks, BLOCK], data },
    { type: 'float', shape: [rows * blocks], data: new Uint8Array(scales.buffer) },
  ];
}
