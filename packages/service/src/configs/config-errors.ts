import { ApiError } from '../errors/api-error.ts';

export function configNotFound(key: string): ApiError {
  return new ApiError('HR_CONFIG_NOT_FOUND', `There is no config ${key}`, { hint: 'GET /v1/config lists them.' });
}

export function nameTaken(name: string | null | undefined): ApiError {
  return new ApiError('HR_CONFIG_NAME_TAKEN', `A config named ${name} already exists`, {
    hint: `Replace that config (PUT /v1/config/${name}), or use another name.`,
  });
}

export function isPreset(key: string): ApiError {
  return new ApiError('HR_CONFIG_IS_PRESET', `The config ${key} is a preset: it is defined by a file`, {
    hint: 'Change or remove the file in the preset directory, and restart the service.',
  });
}
