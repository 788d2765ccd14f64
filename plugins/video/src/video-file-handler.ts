import {
  isRestricted,
  missingBoundaryProblem,
  type ParameterProblem,
  RESERVED_FIELDS,
  type Static,
  Type,
} from 'headrace/engine';
import { compileTextFormat, type FileHandler } from 'headrace/handlers';
import { findProgram, isExecutable } from './frames/find-program.ts';
import { VideoFormat } from './frames/video-format.ts';

const parameters = Type.Object({
  /** The prefix of every id. */
  docIdPrefix: Type.String({ default: '' }),
  /** The format of the name of the file in the id, such as video-%s. */
  docIdFormat: Type.Optional(Type.String()),
  /** Every n-th frame becomes a document. A value below 1 means 1. */
  frameStride: Type.Integer({ default: 1 }),
  /** The field for the path of the file. */
  sourceField: Type.String({ default: 'source' }),
  /** The field for the name of the file. */
  fileNameField: Type.String({ default: 'file_name' }),
  /** The field for the number of the frame among all frames of the video, from 0. */
  frameIndexField: Type.String({ default: 'frame_index' }),
  /** The field for the presentation time of the frame in milliseconds. */
  frameTimeMsField: Type.String({ default: 'frame_time_ms' }),
  /** The field for the presentation time as HH:MM:SS.mmm. */
  frameTimecodeField: Type.String({ default: 'frame_timecode' }),
  /** The field for the width of the image in pixels. */
  imageWidthField: Type.String({ default: 'image_width' }),
  /** The field for the height of the image in pixels. */
  imageHeightField: Type.String({ default: 'image_height' }),
  /** The field for the image: the bytes of a PNG file. */
  frameImageField: Type.String({ default: 'frame_image' }),
  /** The program ffmpeg. Defaults to the first one in the folders of PATH. Uploaded configs may not set it. */
  ffmpegPath: Type.Optional(Type.String()),
});

type Params = Required<Static<typeof parameters>>;

/** Publishes the frames of a video, each as a document with an image, with the program ffmpeg. */
export const VideoFileHandler: FileHandler = {
  parameters,
  recordsHavePath: true,
  *check(params: Params): Generator<ParameterProblem> {
    for (const [parameter, name] of Object.entries(params)) {
      if (parameter.endsWith('Field') && RESERVED_FIELDS.has(name as string)) {
        yield { parameter, message: `The field ${name} is reserved`, hint: 'Choose another name.' };
      }
    }
    if (params.docIdFormat !== undefined) yield* checkFormat(params.docIdFormat);
    yield* checkProgram(params.ffmpegPath);
    const unconfined = missingBoundaryProblem('');
    if (unconfined !== undefined) yield { ...unconfined, parameter: [] };
  },
  open: (params: Params, context) => {
    const { ffmpegPath, docIdFormat = '%s', docIdPrefix } = params;
    const format = compileTextFormat(docIdFormat, 1);
    return new VideoFormat(
      {
        // The handler was checked before, so the program exists.
        program: ffmpegPath ?? (findProgram('ffmpeg') as string),
        stride: Math.max(1, params.frameStride),
        idOf: (stem, index) => `${docIdPrefix}${format([stem])}-f${index}`,
        fields: {
          source: params.sourceField,
          fileName: params.fileNameField,
          index: params.frameIndexField,
          timeMs: params.frameTimeMsField,
          timecode: params.frameTimecodeField,
          width: params.imageWidthField,
          height: params.imageHeightField,
          image: params.frameImageField,
        },
      },
      context,
    );
  },
};

function* checkFormat(format: string): Generator<ParameterProblem> {
  try {
    compileTextFormat(format, 1);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    yield { parameter: 'docIdFormat', message: error.message };
  }
}

function* checkProgram(path: string | undefined): Generator<ParameterProblem> {
  if (path !== undefined && isRestricted()) {
    yield {
      parameter: 'ffmpegPath',
      code: 'HR_POLICY_REFUSED',
      message: 'An uploaded config may not set ffmpegPath of VideoFileHandler',
      hint: 'Remove it. The ffmpeg in the folders of PATH is used.',
    };
  } else if (path === undefined ? findProgram('ffmpeg') === undefined : !isExecutable(path)) {
    yield {
      parameter: path === undefined ? [] : 'ffmpegPath',
      atStart: true,
      message:
        path === undefined
          ? 'VideoFileHandler needs the program ffmpeg, which is in no folder of PATH'
          : `${path} is not a program`,
      hint: 'Install ffmpeg 6.0 or newer (Debian: apt-get install ffmpeg), or set ffmpegPath to its path.',
    };
  }
}
