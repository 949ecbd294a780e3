// An OpenID provider on loopback: node provider.mjs WANTED, the JSON that conftest.py makes.
//
// oidc-provider decides about everything, and its own pages are shown: any login with any password is taken, then it is
// asked whether to go on. Added is what other providers do and it does not, and what no honest one does: a client that
// is registered to send its secret in the body is refused with a header, keys are hidden, a person is told of as another.
// On standard output: "listening", then a line for each request for a token and for userinfo.

import Provider from 'oidc-provider'

const wanted = JSON.parse(process.argv[2])
const provider = new Provider(`http://127.0.0.1:${wanted.port}`, {
  clients: wanted.clients,
  clientAuthMethods: wanted.methods,
  jwks: { keys: wanted.keys },
  cookies: { keys: ['of the cookies'] },
  pkce: { required: () => true },
  conformIdTokenClaims: !wanted.whole,
  claims: {
    openid: ['sub'],
    profile: ['name', 'preferred_username'],
    email: ['email', 'email_verified'],
    groups: ['groups'],
  },
  ttl: { AccessToken: 30, AuthorizationCode: 60, Grant: 600, IdToken: 60, Interaction: 600, Session: 600 },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, preferred_username: id, ...wanted.people[id] }),
  }),
})

const sent = (ctx) => {
  const [kind, secret] = (ctx.headers.authorization ?? '').split(' ')
  if (kind !== 'Basic') return ['client_secret_post']
  return ['client_secret_basic', decodeURIComponent(Buffer.from(secret, 'base64').toString().split(':')[0])]
}

provider.use(async (ctx, next) => {
  if (ctx.path === '/token') {
    const [way, client] = sent(ctx)
    console.log(way)
    const registered = wanted.clients.find((each) => each.client_id === client)
    if (registered?.token_endpoint_auth_method === 'client_secret_post') {
      ctx.status = 401
      ctx.body = { error: 'invalid_client' }
      return
    }
  }
  if (ctx.path === '/me') console.log('userinfo')
  await next()
  if (ctx.path === '/jwks') ctx.body.keys = ctx.body.keys.filter((key) => !wanted.hidden.includes(key.kid))
  if (ctx.path === '/me') ctx.body.sub = wanted.people[ctx.body.sub]?.instead ?? ctx.body.sub
})

provider.listen(wanted.port, '127.0.0.1', () => console.log('listening'))
