/** Writes the numbers of the block at byte `at` into `into` from `to` on. */
export type Decode = (view: DataView, at: number, into: Float32Array, to: number) => void;
