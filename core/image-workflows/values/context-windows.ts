/** How a long latent is cut into windows that run through the network apart from each other. */
export interface ContextWindows {
  /** The axis of the latent: 0 are the entries of a batch, 2 the frames of a video. */
  readonly axis: number;
  /** Frames of a window, and those that it shares with the next one. */
  readonly length: number;
  readonly overlap: number;
  readonly schedule: WindowSchedule;
  /** Uniform windows also take each second frame, each fourth frame and so on: so many kinds in all. */
  readonly stride: number;
  /** Looped windows begin anywhere, up to the last frame. */
  readonly isClosed: boolean;
  readonly fuse: WindowFuse;
}

export const WINDOW_SCHEDULES = ['standard_static', 'standard_uniform', 'looped_uniform', 'batched'] as const;
export const WINDOW_FUSES = ['pyramid', 'relative', 'flat', 'overlap-linear'] as const;
export type WindowSchedule = (typeof WINDOW_SCHEDULES)[number];
export type WindowFuse = (typeof WINDOW_FUSES)[number];
