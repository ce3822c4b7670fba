/** The bytes are no audio file that can be read. The message contains the reason. */
export class AudioUnreadable extends Error {
  // Clients of ComfyUI's API see this name as `exception_type`: it stays although the class was renamed.
  override name = 'SoundUnreadable';
}

/** The samples that a file may contain in all channels together: 50 minutes of stereo at 44.1 kHz, 1 GiB. */
export const MAX_SAMPLES = 2 ** 28;

/** Throws `AudioUnreadable` for a file that is too long. Call it before memory is allocated. */
export function requireReadableLength(format: string, channels: number, samples: number): void {
  if (channels * samples > MAX_SAMPLES)
    throw new AudioUnreadable(
      `the ${format} file holds ${samples} samples of ${channels} channels: at most ${MAX_SAMPLES} numbers are read at once, so cut it into parts`,
    );
}
