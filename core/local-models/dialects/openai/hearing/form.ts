/** The multipart forms of /v1/audio/transcriptions and /v1/audio/translations. */
import { ApiError, MAX_JSON_BODY, readBodyBytes } from '#core/http';
import { FieldError } from '../../../base/field-error.ts';
import { requireModel } from '../../../runs/model-name.ts';

export interface HearingForm {
  model: string;
  /** An audio or video file of at least one byte. */
  audio: Uint8Array;
  /** Other fields by name. A field that the form lacks is ''. */
  text(name: string): string;
  /** All values of a field that may be repeated, with or without `[]` after its name. */
  texts(name: string): string[];
}

const invalidForm = (reason: string) => new ApiError(400, `failed to parse multipart form: ${reason}`);

async function readFormData(request: Request, signal: AbortSignal): Promise<FormData> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^multipart\/(form-data|mixed)\s*(;|$)/i.test(type))
    throw invalidForm("request Content-Type isn't multipart/form-data");
  if (!/;\s*boundary=/i.test(type)) throw invalidForm('no multipart boundary param in Content-Type');
  const bytes = await readBodyBytes(request, MAX_JSON_BODY, signal);
  try {
    return await new Response(bytes as BufferSource, { headers: { 'content-type': type } }).formData();
  } catch {
    throw invalidForm('multipart: NextPart: EOF');
  }
}

/**
 * Reads the form of a request.
 * @throws ApiError 400 for anything but a form with a model and a file, 413 for one that is too large
 */
export async function readHearingForm(request: Request, signal: AbortSignal): Promise<HearingForm> {
  const form = await readFormData(request, signal);
  const texts = (name: string) =>
    [...form.getAll(name), ...form.getAll(`${name}[]`)].filter((value) => typeof value === 'string');
  const text = (name: string) => texts(name)[0] ?? '';
  const model = text('model');
  requireModel(model);
  const file = form.get('file');
  if (!(file instanceof Blob)) throw new ApiError(400, 'file is required: http: no such file');
  const audio = new Uint8Array(await file.arrayBuffer());
  if (audio.length === 0) throw new ApiError(400, 'audio file is empty');
  return { model, audio, text, texts };
}

export const FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt'] as const;
export type TranscriptFormat = (typeof FORMATS)[number];

/** The fields of a form for a model that hears. */
export interface HearingOptions {
  format: TranscriptFormat;
  language: string | undefined;
  prompt: string;
  temperature: number;
  words: boolean;
  segments: boolean;
  stream: boolean;
}

const invalidValue = (param: string, value: string, supported: readonly string[]) =>
  new FieldError(
    400,
    `Invalid value: '${value}'. Supported values are: ${supported.map((each) => `'${each}'`).join(', ')}.`,
    param,
    'invalid_value',
  );

const GRANULARITIES = ['word', 'segment'];

/** @throws FieldError 400 */
export function readHearingOptions({ text, texts }: HearingForm): HearingOptions {
  const format = text('response_format') || 'json';
  if (!isFormat(format)) throw invalidValue('response_format', format, FORMATS);
  const temperature = text('temperature') === '' ? 0 : Number(text('temperature'));
  if (!(temperature >= 0 && temperature <= 1))
    throw new FieldError(
      400,
      `Invalid value: '${text('temperature')}'. The temperature is a number from 0 to 1.`,
      'temperature',
      'invalid_value',
    );
  const granularities = texts('timestamp_granularities');
  const unknown = granularities.find((each) => !GRANULARITIES.includes(each));
  if (unknown !== undefined) throw invalidValue('timestamp_granularities', unknown, GRANULARITIES);
  const words = granularities.includes('word');
  if (words && format !== 'verbose_json')
    throw new FieldError(
      400,
      "timestamp_granularities 'word' needs the response_format 'verbose_json'.",
      'timestamp_granularities',
      'invalid_value',
    );
  return {
    format,
    language: text('language') || undefined,
    prompt: text('prompt'),
    temperature,
    words,
    segments: !words || granularities.includes('segment'),
    // Formats with times are complete texts, as OpenAI's own Whisper returns them.
    stream: text('stream').toLowerCase() === 'true' && (format === 'json' || format === 'text'),
  };
}

const isFormat = (format: string): format is TranscriptFormat =>
  (FORMATS as readonly string[]).includes(format);
