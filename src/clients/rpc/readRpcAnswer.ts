import { isObject } from '../../lib/isObject.ts'
import { MonitorError } from '../../lib/errors.ts'
import { readErrorObject, toRpcError } from './rpcErrors.ts'
import type { RpcMethod } from './rpcMethods.ts'
import type { z } from 'zod'

/**
 * Reads one answer object. A result of null is an answer; an error object, a result that is left out and one that
 * belongs to another question are errors, each of its own kind.
 * @throws MonitorError `source.*`
 */
export function readRpcAnswer(
  method: RpcMethod,
  params: readonly unknown[],
  answer: unknown,
  label: string,
): unknown {
  if (!isObject(answer)) throw invalid(label, 'the answer is not an object')
  const { error } = answer
  if (error !== undefined && error !== null) throw toRpcError(readErrorObject(error), label)
  if (!Object.hasOwn(answer, 'result')) throw invalid(label, 'the answer has neither a result nor an error')
  const parsed = method.result.safeParse(answer['result'])
  if (!parsed.success) throw invalid(label, `the result breaks the contract: ${problemOf(parsed.error)}`)
  const problem = method.contradicts?.(parsed.data, params) ?? null
  if (problem !== null) throw invalid(label, `the result belongs to another question: ${problem}`)
  return parsed.data
}

/** The first thing wrong, with its place: `status: expected 0x1 or 0x0`. */
function problemOf(error: z.ZodError): string {
  const issue = error.issues[0]
  const place = issue?.path.map(String).join('.') ?? ''
  return `${place === '' ? '' : `${place}: `}${issue?.message ?? 'cannot be read'}`
}

function invalid(label: string, what: string): MonitorError {
  return new MonitorError('source.invalid', `${label}: ${what}`)
}
