import {
  decodeBody,
  float64Field,
  type JsonNode,
  rawField,
  readBodyJson,
  stringField,
  structOf,
} from '#core/http';
import { FieldError } from '../../../base/field-error.ts';
import { requireModel } from '../../../runs/model-name.ts';
import { SPEECH_FORMATS, type SpeechFormat } from './speech-encoder.ts';

/** Characters of a text, as OpenAI's API allows them. */
export const LONGEST_INPUT = 4096;
const SPEEDS = { least: 0.25, most: 4 };
const STREAM_FORMATS = ['audio', 'sse'] as const;

export interface SpeechRequest {
  model: string;
  input: string;
  /** Empty: the model's own choice. */
  voice: string;
  /** Undefined: any. */
  format: SpeechFormat | undefined;
  speed: number;
  streamFormat: (typeof STREAM_FORMATS)[number];
}

const requestFields = structOf('openai.SpeechRequest', {
  model: stringField,
  input: stringField,
  voice: rawField,
  instructions: stringField,
  response_format: stringField,
  speed: float64Field,
  stream_format: stringField,
});

/**
 * Reads the body of a request. `instructions` is read and has no effect, because the voices take none.
 * @throws ApiError 400
 */
export async function readSpeechRequest(request: Request, signal: AbortSignal): Promise<SpeechRequest> {
  const document = await readBodyJson(request, signal, { whenEmpty: 'EOF', zstd: true });
  const body = decodeBody(requestFields, document);
  const { model = '', input, speed = 1 } = body;
  requireModel(model.trim());
  return {
    model,
    input: checkInput(input),
    voice: voiceName(body.voice),
    format: oneOf('response_format', body.response_format, SPEECH_FORMATS),
    speed: checkSpeed(speed),
    streamFormat: oneOf('stream_format', body.stream_format, STREAM_FORMATS) ?? 'audio',
  };
}

function checkInput(input: string | undefined): string {
  if (input === undefined)
    throw new FieldError(400, "Missing required parameter: 'input'.", 'input', 'missing_required_parameter');
  if (input.trim() === '')
    throw new FieldError(
      400,
      "Invalid 'input': empty string. Expected a text to say.",
      'input',
      'empty_string',
    );
  const { length } = [...input];
  if (length > LONGEST_INPUT)
    throw new FieldError(
      400,
      `Invalid 'input': string too long. Expected a string with maximum length ${LONGEST_INPUT}, but got a string with length ${length} instead.`,
      'input',
      'string_above_max_length',
    );
  if (!/[\p{L}\p{N}]/u.test(input))
    throw new FieldError(
      400,
      "Invalid 'input': it has no letters and no digits, so there is nothing to say.",
      'input',
      'invalid_value',
    );
  return input;
}

/** A name, or an object with the name as its `id`. */
function voiceName(node: JsonNode | undefined): string {
  if (!node || node.type === 'null') return '';
  if (node.type === 'string') return node.value;
  const id = node.type === 'object' ? node.members.find(([name]) => name === 'id')?.[1] : undefined;
  if (id?.type === 'string') return id.value;
  throw new FieldError(
    400,
    "Invalid type for 'voice': expected the name of a voice.",
    'voice',
    'invalid_type',
  );
}

function checkSpeed(speed: number): number {
  const { least, most } = SPEEDS;
  if (speed >= least && speed <= most) return speed;
  const [code, limit] =
    speed < least ? ['decimal_below_min_value', `>= ${least}`] : ['decimal_above_max_value', `<= ${most}`];
  throw new FieldError(
    400,
    `Invalid 'speed': ${code.replaceAll('_', ' ')}. Expected a value ${limit}, but got ${speed} instead.`,
    'speed',
    code,
  );
}

function oneOf<T extends string>(
  param: string,
  value: string | undefined,
  supported: readonly T[],
): T | undefined {
  if (value === undefined || value === '') return undefined;
  const found = supported.find((each) => each === value);
  if (found !== undefined) return found;
  throw new FieldError(
    400,
    `Invalid value: '${value}'. Supported values are: ${supported.map((each) => `'${each}'`).join(', ')}.`,
    param,
    'invalid_value',
  );
}
