import { createServer, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createWebApp } from '../../src/web/createWebApp.ts'
import { type WebServer, startWebServer } from '../../src/web/startWebServer.ts'
import { type FakeWeb, createFakeWeb } from '../unit/web/support/fakeWeb.ts'

async function start(host = '127.0.0.1', port = 0): Promise<{ web: FakeWeb; server: WebServer }> {
  const web = createFakeWeb()
  const app = createWebApp(web.deps, { listenHost: host, token: null })
  const server = await startWebServer({ app, clock: web.deps.clock, host, port })
  onTestFinished(() => server.stop())
  return { web, server }
}

test('it listens where it says', async () => {
  const { server } = await start()
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`)
  const response = await fetch(`${server.url}/healthz`)
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok', reasons: [] }])
})

test('a port in use is an error of the configuration, with the port named (semantics 36)', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  await expect(start('127.0.0.1', port)).rejects.toMatchObject({
    code: 'config.invalid',
    message: `port in use: another program listens on 127.0.0.1:${port}; change http.listen`,
  })
})

test('a real request with the name of another site is refused', async () => {
  const { server } = await start()
  const status = await new Promise((resolve) => {
    request(
      { host: '127.0.0.1', port: server.port, path: '/', headers: { host: 'evil.example' } },
      (response) => {
        response.resume()
        resolve(response.statusCode)
      },
    ).end()
  })
  expect(status).toBe(421)
})

test('a reader of events who hangs up is forgotten', async () => {
  const { web, server } = await start()
  const leave = new AbortController()
  await fetch(`${server.url}/events`, { signal: leave.signal })
  expect(web.listeners.size).toBe(1)
  leave.abort()
  await expect.poll(() => web.listeners.size).toBe(0)
})

test('stopping ends open event streams, frees the port and may be asked for twice', async () => {
  const { web, server } = await start()
  const response = await fetch(`${server.url}/events`)
  await Promise.all([server.stop(), server.stop()])
  await expect(response.text()).rejects.toThrow('terminated')
  await expect.poll(() => web.listeners.size).toBe(0)
  const again = await start('127.0.0.1', server.port)
  expect(again.server.port).toBe(server.port)
})

async function open(port: number, say: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {}).resume()
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.write(say)
  return socket
}

test.each([
  ['nothing is ever asked', ''],
  ['headers never end', 'GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n'],
  ['bodies never end', 'POST /silences HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 9\r\n\r\n'],
])('six hundred connections on which %s leave room for a probe', async (_, say) => {
  const { server } = await start()
  const sockets = await Promise.all(Array.from({ length: 600 }, () => open(server.port, say)))
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  await expect.poll(() => sockets.filter(({ closed }) => closed).length).toBeGreaterThan(80)
  expect(sockets.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(512)
})

test('whoever asks again before he was answered is not answered any more; one question after another is', async () => {
  const { server } = await start()
  const ask = 'GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'
  const hasty = await open(server.port, ask.repeat(50))
  await expect.poll(() => hasty.closed).toBe(true)
  const patient = await open(server.port, '')
  let said = ''
  patient.on('data', (data: Buffer) => (said += data.toString()))
  for (let count = 1; count <= 3; count++) {
    patient.write(ask)
    await expect.poll(() => said.match(/HTTP\/1.1 200 OK/g)?.length).toBe(count)
  }
})

test('a request with headers of 20 kB is refused', async () => {
  const { server } = await start()
  const response = await fetch(`${server.url}/healthz`, { headers: { 'x-long': 'x'.repeat(20_000) } })
  expect(response.status).toBe(431)
})

test.each(['0x10', '-1', '1.5', '1e3', ' 5', 'Next', '', '9'.repeat(400), '%00'])(
  'the cursor %j is refused, not taken for another page',
  async (cursor) => {
    const { web, server } = await start()
    const response = await fetch(`${server.url}/api/transfers?cursor=${cursor}`)
    expect([response.status, await response.json()]).toEqual([
      400,
      { code: 'usage', error: 'cursor: expected the "next" of the page before' },
    ])
    expect((await fetch(`${server.url}/transfers?cursor=${cursor}`)).status).toBe(400)
    expect(web.filters).toEqual([])
  },
)
