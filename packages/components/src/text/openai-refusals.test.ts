import { describe, expect, it } from 'vitest';
import { isAccountRefusal, isLengthRefusal } from './openai-refusals.ts';

describe('the refusal of an account', () => {
  it.each([
    [401, '{}'],
    [402, '{"error":{"message":"Insufficient Balance"}}'],
    [403, ''],
    [429, '{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}'],
    [429, '{"error":{"code":"billing_hard_limit_reached"}}'],
    [429, '{"error":{"type":"exceeded_current_quota_error"}}'],
  ])('is %i %s', (status, body) => {
    expect(isAccountRefusal(status, body)).toBe(true);
  });

  it.each([
    [429, '{"error":{"message":"Rate limit reached on tokens per min (TPM).","code":"rate_limit_exceeded"}}'],
    [429, ''],
    [500, 'insufficient_quota'],
    [400, '{"error":{"message":"insufficient_quota"}}'],
  ])('is not %i %s', (status, body) => {
    expect(isAccountRefusal(status, body)).toBe(false);
  });
});

describe('the refusal of a long text', () => {
  it.each([
    '{"error":"the input length exceeds the context length"}',
    '{"error":{"code":500,"message":"input is too large to process. increase the physical batch size"}}',
    '{"error":{"message":"input (3000 tokens) is larger than the max context size (512 tokens)"}}',
  ])('is 500 %s', (body) => {
    expect(isLengthRefusal(500, body)).toBe(true);
    expect(isLengthRefusal(503, body)).toBe(false);
  });

  it.each(['', '{"error":{"message":"The server had an error"}}'])('is not 500 %s', (body) => {
    expect(isLengthRefusal(500, body)).toBe(false);
  });
});
