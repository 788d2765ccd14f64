export { type FailedRequest, javaHttpException } from './http-exceptions.ts';
export { javaUrlProblem } from './url-problems.ts';
