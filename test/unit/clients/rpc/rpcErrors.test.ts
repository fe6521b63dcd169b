import { expect, test } from 'vitest'
import { isCallFailure, toRpcError } from '../../../../src/clients/rpc/rpcErrors.ts'

const error = (code: number, message: string) => toRpcError({ code, message }, 'eth_call')

test.each([
  [-32_000, 'execution reverted'],
  [3, 'execution reverted: paused'],
  [-32_603, 'VM Exception while processing transaction: revert'],
  [-32_015, 'VM execution error.'],
])('%i "%s" is how the contract took the call', (code, message) => {
  expect(isCallFailure(error(code, message))).toBe(true)
  expect(error(code, message).retryable).toBe(false)
})

test.each([
  [-32_005, 'limit exceeded: calls that reverted count as well'],
  [429, 'too many requests, reverting to the free tier'],
])('%i "%s" asks to slow down, whatever else its words say', (code, message) => {
  expect(error(code, message)).toMatchObject({ code: 'source.throttled', retryable: true })
  expect(isCallFailure(error(code, message))).toBe(false)
})

test.each([
  ['your app has exceeded its rate limit', 'source.throttled'],
  ['Too Many Requests', 'source.throttled'],
  ['failed to generate state: iterate past the end', 'source.unreachable'],
  ['header not found', 'source.unreachable'],
  ['missing trie node 5f (path ) state 0x5f is not available', 'source.unreachable'],
])('-32000 "%s" is %s', (message, code) => {
  expect(error(-32_000, message)).toMatchObject({ code, retryable: true })
})
