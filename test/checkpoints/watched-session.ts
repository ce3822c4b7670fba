import type { TensorSession } from '#core/host';

/** The session with another `run`, such as one that measures. */
export const watchedSession = (session: TensorSession, run: TensorSession['run']): TensorSession => ({
  device: session.device,
  inputs: session.inputs,
  outputs: session.outputs,
  memory: session.memory,
  gone: session.gone,
  run,
  dispose: () => session.dispose(),
});
