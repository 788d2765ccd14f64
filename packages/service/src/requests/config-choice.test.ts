import { describe, expect, it } from 'vitest';
import { inlineConfig } from './config-choice.ts';

const inline = (body: string) => inlineConfig(body, (JSON.parse(body) as { config: unknown }).config);

describe('a config inside a request body', () => {
  it('keeps its position in the body', () => {
    expect(inline('{"a": {"config": 1}, "ü\\"config": "}",\r\n "config":\n {"b": [1.0, "]}\\\\"]} , "c": 2}')).toEqual({
      text: `${' '.repeat('{"a": {"config": 1}, "ü\\"config": "}",'.length)}\r\n          \n {"b": [1.0, "]}\\\\"]}`,
      format: 'json',
    });
  });

  it('is the last of several members named config, even if the name contains escapes', () => {
    const { text } = inline('{"config": {"x": 1}, "c\\u006fnfig": {"y": 2}}');
    expect(text.trim()).toBe('{"y": 2}');
  });

  it('is returned unchanged if it is a HOCON text', () => {
    expect(inline('{"config": "a: 1\\nb: 2"}')).toEqual({ text: 'a: 1\nb: 2', format: 'hocon' });
  });
});
