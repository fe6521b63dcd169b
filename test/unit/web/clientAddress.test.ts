import { expect, test } from 'vitest'
import { createAddressReader } from '../../../src/web/clientAddress.ts'

const proxies = ['127.0.0.1', '10.0.0.0/8', '2001:db8:aa::/48']

test.each([
  ['nobody forwarded', proxies, '192.0.2.7', undefined, '192.0.2.7'],
  ['a stranger says that he is another', proxies, '192.0.2.7', '198.51.100.1', '192.0.2.7'],
  ['a proxy says for whom', proxies, '10.1.2.3', '192.0.2.7', '192.0.2.7'],
  ['a guesser writes the header himself', proxies, '10.1.2.3', '1.1.1.1, 2.2.2.2, 192.0.2.7', '192.0.2.7'],
  ['two proxies in a row', proxies, '127.0.0.1', '192.0.2.7, 10.9.9.9', '192.0.2.7'],
  ['all of them are proxies', proxies, '127.0.0.1', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
  ['a proxy forwards nonsense', proxies, '10.1.2.3', '192.0.2.7, <script>', '10.1.2.3'],
  ['a proxy forwards nothing', proxies, '10.1.2.3', '', '10.1.2.3'],
  ['an IPv4 proxy on a socket of both families', proxies, '::ffff:10.1.2.3', '::ffff:192.0.2.7', '192.0.2.7'],
  ['IPv6 through and through', proxies, '2001:db8:aa::1', '2001:db8:bb::7', '2001:db8:bb::7'],
  ['nobody is trusted', [], '127.0.0.1', '192.0.2.7', '127.0.0.1'],
  ['no connection', proxies, 'in-process', '192.0.2.7', 'in-process'],
])('%s', (_, trusted, connected, forwarded, expected) => {
  expect(createAddressReader(trusted)(connected, forwarded)).toBe(expected)
})
