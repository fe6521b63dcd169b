import { getEventListeners } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { httpRequest, openDispatcher } from '../../../src/clients/http.ts'

test('a request leaves neither a timer nor a listener behind, whatever became of it', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/') response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const http = openDispatcher({}, 1)
  onTestFinished(async () => {
    await http.close()
    server.closeAllConnections()
    server.close()
  })
  const { signal } = new AbortController()
  const set = vi.spyOn(globalThis, 'setTimeout')
  const cleared = vi.spyOn(globalThis, 'clearTimeout')
  onTestFinished(() => void vi.restoreAllMocks())
  const ask = (path: string, timeoutMs: number) =>
    httpRequest(http, {
      origin: `http://127.0.0.1:${port}`,
      path,
      headers: {},
      timeoutMs,
      label: 'it',
      signal,
    })

  expect((await ask('/', 77_000)).json).toEqual({ value: {} })
  const own = set.mock.results[set.mock.calls.findIndex(([, ms]) => ms === 77_000)]
  expect(own?.type).toBe('return')
  expect(cleared).toHaveBeenCalledWith(own?.value)
  await expect(ask('/silent', 100)).rejects.toThrow('no whole answer within 0.1 s')
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
