import { Readable } from 'node:stream';
import { VideoFileHandler } from '@headrace/video';

const log = { debug() {}, info() {}, warn() {}, error() {} };

/** Returns a function that reads this video with ffmpeg, and waits forever with its first frame. */
export async function open(video) {
  const params = { ffmpegPath: process.env['FFMPEG'], frameStride: 1, frameImageField: 'image' };
  const format = VideoFileHandler.open(params, { docIdPrefix: '', log });
  const file = { path: `file://${video}`, name: 'video.mp4', bytes: Readable.from([]), local: video };
  return () => {
    const { promise: underWay, resolve } = Promise.withResolvers();
    const publishChunk = () => new Promise(() => resolve());
    const { signal } = new AbortController();
    return Object.assign(format.publish(file, { publishChunk, signal }), { underWay });
  };
}
