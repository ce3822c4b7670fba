/** Errors of language and tensor engines. Their messages state the cause; the core adds what a person can do about it. */

/** An engine failed. Thrown as such when only the current request is affected and no subclass fits. */
export class EngineError extends Error {
  override name = 'EngineError';
}

/** The worker or process of the engine died, or its GPU was lost. The model or session cannot be used any more. */
export class EngineCrashed extends EngineError {
  override name = 'EngineCrashed';
}

/** The engine lacks the model's architecture, format or operators. */
export class ModelUnsupported extends EngineError {
  override name = 'ModelUnsupported';
}

/** A model file is truncated, damaged, or no model file at all. */
export class ModelCorrupt extends EngineError {
  override name = 'ModelCorrupt';
}

/** The client's request is at fault: an image that cannot be read, or a grammar that the engine does not accept. */
export class RequestRefused extends EngineError {
  override name = 'RequestRefused';
}

/** The model or request needs more memory than the device has. */
export class OutOfMemory extends EngineError {
  override name = 'OutOfMemory';
}

/** This device or provider cannot run the graph. The next one in `TensorOpenOptions.providers` is tried. */
export class ProviderUnusable extends EngineError {
  override name = 'ProviderUnusable';
}

/** A prompt, or a text to embed, has more tokens than the context window. */
export class ContextExceeded extends EngineError {
  override name = 'ContextExceeded';

  /**
   * @param promptTokens tokens of the prompt or text
   * @param contextLength tokens that fit
   */
  constructor(
    readonly promptTokens: number,
    readonly contextLength: number,
  ) {
    super(
      `request (${promptTokens} tokens) exceeds the available context size (${contextLength} tokens), try increasing it`,
    );
  }
}
