import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readDaemonUrl, writeDaemonFile } from '../../../src/store/daemonFile.ts'

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'spanwatch-daemon-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
const isOurs = (host: string) => host === '127.0.0.1' || host === 'monitor.internal'

test.each([
  ['http://127.0.0.1:9464', 'http://127.0.0.1:9464'],
  ['http://monitor.internal:9464', 'http://monitor.internal:9464'],
  ['http://evil.example.com:9464', null],
  ['http://127.0.0.1.evil.example.com', null],
  ['http://127.0.0.1@evil.example.com/', null],
  ['http://ana:secret@127.0.0.1:9464', null],
  ['http://127.0.0.1:9464/elsewhere', null],
  ['https://127.0.0.1:9464', null],
  ['file:///etc/passwd', null],
])('%s leads a command to %s', (url, expected) => {
  const folder = createFolder()
  writeFileSync(join(folder, 'daemon.json'), JSON.stringify({ url }))
  expect(readDaemonUrl(folder, isOurs)).toBe(expected)
})

test('what is written is read, and a link in its place is neither followed nor written through', () => {
  const folder = createFolder()
  const victim = join(folder, 'victim')
  writeFileSync(victim, '{"url":"http://127.0.0.1:1"}')
  symlinkSync(victim, join(folder, 'daemon.json'))
  expect(readDaemonUrl(folder, isOurs)).toBeNull()
  writeDaemonFile(folder, 'http://127.0.0.1:9464')
  expect(readDaemonUrl(folder, isOurs)).toBe('http://127.0.0.1:9464')
  expect(readFileSync(victim, 'utf8')).toContain(':1"')
})
