import type { SerializedEngineError } from '#core/host';

/** An error of an engine worker that reaches the server worker with its kind and numbers. */
export class EngineFailure extends Error {
  constructor(readonly failure: SerializedEngineError) {
    super(failure.message);
  }
}
