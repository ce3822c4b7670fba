import { describe, expect, it } from 'vitest';
import { CodeError, ExpressionError, errorRecord, NodeError } from './node-error.ts';

describe('errorRecord', () => {
  it('has the name and the message of any error', () => {
    expect(errorRecord(new TypeError('x'))).toEqual({ name: 'TypeError', message: 'x' });
    expect(errorRecord('text', 'A')).toEqual({ name: 'Error', message: 'text', node: 'A' });
  });

  it('has the details of a fault that the author can correct', () => {
    const error = new NodeError('x', {
      description: null,
      itemIndex: 0,
      httpCode: '404',
      json: { hidden: 1 },
    });
    expect(errorRecord(error, 'A')).toEqual({
      name: 'NodeOperationError',
      message: 'x',
      description: null,
      itemIndex: 0,
      httpCode: '404',
      node: 'A',
    });
  });

  it('has no empty details', () => {
    expect(Object.keys(errorRecord(new NodeError('x')))).toEqual(['name', 'message']);
  });
});

it('errors of expressions and of code are faults with names of their own', () => {
  const cause = new Error('c');
  expect(new ExpressionError('x')).toMatchObject({ name: 'ExpressionError' });
  expect(new ExpressionError('x', { name: 'Own', cause })).toMatchObject({ name: 'Own', cause });
  expect(new CodeError('x')).toBeInstanceOf(NodeError);
  expect(Object.hasOwn(new NodeError('x'), 'cause')).toBe(false);
});
