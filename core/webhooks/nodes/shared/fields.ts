/** Fields of items as nodes name them: `a.b[0]` leads into objects, unless dot notation is off. */
import { deletePath, getPath, type JsonObject, setPath } from '#core/workflow-format';
import { flag } from './parameters.ts';

/** The option that turns dot notation off: a dot is then part of a field's name. */
export const disableDotNotation = flag('disableDotNotation', 'Disable Dot Notation');

/** The value of a field, or undefined. */
export function readField(json: JsonObject, name: string, dots: boolean): unknown {
  return dots ? getPath(json, name) : json[name];
}

/** Sets a field. With dot notation it makes the objects on the way. */
export function writeField(json: JsonObject, name: string, value: unknown, dots: boolean): void {
  if (dots) setPath(json, name, value);
  else json[name] = value;
}

/** Removes a field, if it is there. */
export function removeField(json: JsonObject, name: string, dots: boolean): void {
  if (dots) deletePath(json, name);
  else delete json[name];
}

/** The object with these fields alone. Fields that it lacks are left out. Values are shared with it. */
export function pickFields(json: JsonObject, names: string[], dots: boolean): JsonObject {
  const picked: JsonObject = {};
  for (const name of names) {
    const value = readField(json, name, dots);
    if (value !== undefined) writeField(picked, name, value, dots);
  }
  return picked;
}

/** A deep copy without these fields. */
export function omitFields(json: JsonObject, names: string[], dots: boolean): JsonObject {
  const rest = structuredClone(json);
  for (const name of names) removeField(rest, name, dots);
  return rest;
}
