import { expect, test } from 'vitest';
import { FrameError, NotAccepted, PeerLost, toFrameError, VersionMismatch } from './errors.ts';

test.each([
  [FrameError, 'FrameError'],
  [PeerLost, 'PeerLost'],
  [NotAccepted, 'NotAccepted'],
  [VersionMismatch, 'VersionMismatch'],
])('%o is a FrameError with a name of its own', (Kind, name) => {
  const error = new Kind('x');
  expect(error.name).toBe(name);
  expect(error).toBeInstanceOf(FrameError);
});

test('an error stays itself, and anything else becomes the text of one', () => {
  const error = new TypeError('x');
  expect(toFrameError(error)).toBe(error);
  expect(toFrameError('gone')).toEqual(new FrameError('gone'));
  expect(toFrameError(undefined).message).toBe('undefined');
});
