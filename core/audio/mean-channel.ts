/** The mean of all channels, which are equally long. A single channel is returned as it is. */
export function meanChannel(channels: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array()] = channels;
  if (channels.length < 2) return first;
  return first.map((_, at) => channels.reduce((sum, channel) => sum + channel[at]!, 0) / channels.length);
}
