import { errorText } from '../../lib/errors.ts'
import { isObject } from '../../lib/isObject.ts'
import { RpcError } from './rpcError.ts'

// A batch of more is refused, as providers do.
const maxBatch = 100

/** Gives what answers a method; undefined for one that the node does not have. */
export type FindMethod = (name: string) => ((params: readonly unknown[]) => unknown) | undefined

/** Answers the text of one JSON-RPC request, or of a batch of them. */
export function answerJsonRpc(text: string, find: FindMethod): string {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return JSON.stringify(failure(null, new RpcError(-32700, 'parse error')))
  }
  if (!Array.isArray(body)) return JSON.stringify(answerOne(find, body))
  const isLegal = body.length > 0 && body.length <= maxBatch
  if (!isLegal) return JSON.stringify(failure(null, new RpcError(-32600, 'invalid request: size of batch')))
  return JSON.stringify(body.map((request) => answerOne(find, request)))
}

function answerOne(find: FindMethod, request: unknown): unknown {
  const { jsonrpc, method, params, id } = fieldsOf(request)
  const known = typeof id === 'number' || typeof id === 'string' ? id : null
  if (jsonrpc !== '2.0' || typeof method !== 'string')
    return failure(known, new RpcError(-32600, 'invalid request'))
  const answer = find(method)
  if (!answer)
    return failure(known, new RpcError(-32601, `the method ${method} does not exist/is not available`))
  if (params !== undefined && !Array.isArray(params))
    return failure(known, new RpcError(-32602, 'invalid params'))
  try {
    return { jsonrpc: '2.0', id: known, result: answer(params ?? []) }
  } catch (error) {
    return failure(known, error instanceof RpcError ? error : new RpcError(-32603, errorText(error)))
  }
}

function fieldsOf(request: unknown): Readonly<Record<string, unknown>> {
  return isObject(request) ? request : {}
}

function failure(id: number | string | null, error: RpcError) {
  return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } }
}
