import type { SerializedEngineError } from '#core/host';

/** A failure that the server worker is told about as it is. */
export class EngineFailure extends Error {
  constructor(readonly failure: SerializedEngineError) {
    super(failure.message);
  }
}
