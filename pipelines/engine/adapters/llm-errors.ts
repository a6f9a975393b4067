/** Errors of model calls, with the row, the provider and the next step. */
import { BudgetError, DataError, UsageError } from '../errors.js';
import { providerId } from '../models.js';
import type { Call } from './llm-call.js';
import type { FailedAttempt } from './llm-client.js';

/** A request that refuses the key or the model will not be mended by waiting; everything else may be. */
export function noReply<T>(call: Call<T>, last: FailedAttempt, attempts: number): Error {
  const { setup, request } = call;
  const where = { field: `models.providers.${setup.provider}`, row: request.subject };
  const status = last.status ?? 0;
  if (last.fault === 'http_error' && status < 500 && ![408, 409, 429].includes(status))
    return new UsageError({
      message: `the model server does not take the request for ${setup.purpose}`,
      ...where,
      got: status >= 300 && status < 400 ? `${last.detail}: a redirect, which is not followed` : last.detail,
      expected: `an answer of model ${setup.model}`,
      next: 'check base_url, model and the key; what the server said is in failures.jsonl of the build folder',
    });
  return new BudgetError({
    message: `the model server gave no answer in ${attempts} attempt(s) for ${setup.purpose}`,
    ...where,
    got: last.detail,
    next: 'run the same command again to continue; every answer so far is kept',
  });
}

/** A replay has no answer for a request. */
export function missing<T>(call: Call<T>): never {
  const { setup, request, wires } = call;
  throw new DataError({
    message: `replay has no recorded answer for ${setup.purpose}`,
    row: request.subject,
    field: `sample ${request.sample ?? 0}`,
    got: `no answer ${wires[0]!.key.slice(0, 12)} of ${setup.model} (${providerId(setup.server)})`,
    expected: 'the recorded answers of a live run with the same prompts, model and parameters',
    next: 'record it with a live run, or restore the recorded answers that belong to this version',
  });
}
