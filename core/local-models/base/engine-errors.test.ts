import { describe, expect, test } from 'vitest';
import {
  ContextExceeded,
  EngineCrashed,
  EngineError,
  ModelCorrupt,
  ModelUnsupported,
  OutOfMemory,
  RequestRefused,
} from '#core/host';
import { ApiError } from '#core/http';
import { RUNNER_STOPPED, toApiError } from './engine-errors.ts';

describe('toApiError', () => {
  test.each<[Error, number, string]>([
    [new EngineCrashed('exit code 1'), 500, RUNNER_STOPPED],
    [
      new ContextExceeded(300, 256),
      400,
      '{"error":{"code":400,"message":"request (300 tokens) exceeds the available context size (256 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":300,"n_ctx":256}}',
    ],
    [
      new RequestRefused('bad image'),
      400,
      '{"error":{"code":400,"message":"bad image","type":"invalid_request_error"}}',
    ],
    [new ModelUnsupported('no'), 500, 'unable to load model "m:latest": no; try another model'],
    [
      new ModelCorrupt('cut'),
      500,
      'unable to load model "m:latest": its file is damaged or not a model (cut); delete it and pull it again',
    ],
    [
      new OutOfMemory('5 GB'),
      500,
      'model "m:latest" requires more memory than is available (5 GB); use a smaller num_ctx, a smaller model, or unload others',
    ],
  ])('translates %s', (error, status, message) => {
    const translated = toApiError(error, 'm:latest');
    expect(translated).toBeInstanceOf(ApiError);
    expect(translated).toMatchObject({ status, message });
  });

  test.each([new EngineCrashed('a'), new ModelUnsupported('b'), new ModelCorrupt('c'), new OutOfMemory('d')])(
    'retains %s as the cause',
    (error) => {
      expect((toApiError(error, 'm') as Error).cause).toBe(error);
    },
  );

  test.each([new ApiError(404, 'x'), new EngineError('other'), new TypeError('bug'), 'text', undefined])(
    'returns %s unchanged',
    (error) => {
      expect(toApiError(error, 'm')).toBe(error);
    },
  );
});
