import { expect, test } from 'vitest'
import { isLoopbackAuthority, isLoopbackHost } from '../../../src/web/createFrame.ts'

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['localhost', true],
  ['LOCALHOST', true],
  ['::1', true],
  ['[::1]', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.0.1', false],
  ['127.0.0.1.evil.example', false],
  ['', false],
])('listening on "%s" is loopback: %s', (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected)
})

test.each([
  ['127.0.0.1:9464', true],
  ['localhost', true],
  ['[::1]:9464', true],
  ['evil.example', false],
  ['evil.example:9464', false],
  ['localhost.evil.example:80', false],
  ['localhost:80@evil.example', false],
  ['', false],
  [undefined, false],
])('the Host header %s is of this machine: %s', (authority, expected) => {
  expect(isLoopbackAuthority(authority)).toBe(expected)
})
