/** Arguments of tools, which a model wrote: checked here, because clients do not check them. */
import { ApiClientError } from '#core/api-client';

type Arguments = Record<string, unknown>;

/** @throws ApiClientError if the text is missing */
export function requireText(args: Arguments, name: string): string {
  const text = optionalText(args, name);
  if (text === undefined || text.trim() === '') throw new ApiClientError(`The argument "${name}" is missing`);
  return text;
}

/** @throws ApiClientError if the argument is no text */
export function optionalText(args: Arguments, name: string): string | undefined {
  const value = args[name] ?? undefined;
  if (value !== undefined && typeof value !== 'string') {
    throw new ApiClientError(`The argument "${name}" is a text`);
  }
  return value;
}

/** @throws ApiClientError if the argument is no finite number */
export function optionalNumber(args: Arguments, name: string): number | undefined {
  const value = args[name] ?? undefined;
  if (value === undefined) return undefined;
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number) || value === '') {
    throw new ApiClientError(`The argument "${name}" is a number`);
  }
  return number;
}

/** A text, or a list of texts. @throws ApiClientError for anything else */
export function textList(args: Arguments, name: string): string[] {
  const value = args[name];
  const list = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  if (list.every((each) => typeof each === 'string')) return list;
  throw new ApiClientError(`The argument "${name}" is a text or a list of texts`);
}
