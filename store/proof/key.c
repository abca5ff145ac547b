/* SPDX-License-Identifier: MIT */
/* Key files.  A key appears under its name whole or not at all. */
#include "store/proof/key.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/bio.h>
#include <openssl/pem.h>

#include "store/base/base.h"
#include "store/store.h"

/* The user's home as the system knows it: units, cron and mount(8) set no HOME. */
static bool home_known(char *dst, size_t size)
{
	char text[4096];
	struct passwd pw, *found = NULL;
	if (getpwuid_r(geteuid(), &pw, text, sizeof text, &found) != 0 || !found)
		return false;
	int n = snprintf(dst, size, "%s", pw.pw_dir);
	return pw.pw_dir[0] == '/' && n > 0 && (size_t)n < size;
}

int key_dir_default(char *dst, size_t size)
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	int n;
	char known[PATH_MAX];
	if (!home || home[0] != '/')
		home = home_known(known, sizeof known) ? known : NULL;
	/* The XDG rules: a relative path is as good as none. */
	if (config && config[0] == '/')
		n = snprintf(dst, size, "%s/cinta/keys", config);
	else if (home && home[0] == '/')
		n = snprintf(dst, size, "%s/.config/cinta/keys", home);
	else
		return STORE_ENOENT;
	return n > 0 && (size_t)n < size ? 0 : STORE_EINVAL;
}

static bool plain(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '.' || c == '_' || c == '-';
}

int key_path(const char *dir, const char *origin, char *dst, size_t size)
{
	char name[3 * FIELD_MAX + sizeof ".pem"], *p = name;
	if (!field_ok(origin, strlen(origin), FIELD_MAX))
		return STORE_EINVAL;
	for (; *origin; origin++)
		p += snprintf(p, 4, plain(*origin) ? "%c" : "%%%02X", (unsigned char)*origin);
	memcpy(p, ".pem", sizeof ".pem");
	if (strlen(name) > NAME_LIMIT - sizeof ".123456")
		return STORE_EINVAL;
	int n = snprintf(dst, size, "%s/%s", dir, name);
	return n > 0 && (size_t)n < size ? 0 : STORE_EINVAL;
}

/* Makes the directory and its missing parents, all private. */
static bool make_dir(const char *dir)
{
	char path[PATH_MAX];
	size_t len = strlen(dir);
	if (len == 0 || len >= sizeof path)
		return false;
	memcpy(path, dir, len + 1);
	for (char *p = path + 1; *p; p++)
		if (*p == '/') {
			*p = '\0';
			if (mkdir(path, 0700) != 0 && errno != EEXIST)
				return false;
			*p = '/';
		}
	return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static bool write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, bytes, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		len -= (size_t)n;
	}
	return true;
}

/* Gives the finished file its name, unless that is taken. */
static bool give_name(const char *tmp, const char *path)
{
	if (link(tmp, path) == 0)
		return unlink(tmp) == 0;
	if (errno == EEXIST)
		return false;
	/* A file system without hard links. */
	return renameat2(AT_FDCWD, tmp, AT_FDCWD, path, RENAME_NOREPLACE) == 0;
}

/* errno tells what failed. */
static bool store_pem(const char *path, const char *pem, size_t len)
{
	char tmp[PATH_MAX + 8];
	(void)snprintf(tmp, sizeof tmp, "%s.XXXXXX", path);
	int fd = mkostemp(tmp, O_CLOEXEC); /* mode 0600 */
	if (fd < 0)
		return false;
	bool ok = write_all(fd, pem, len) && fsync(fd) == 0;
	int saved = errno;
	if (close(fd) != 0 && ok) {
		ok = false;
		saved = errno;
	}
	if (ok && !give_name(tmp, path)) {
		ok = false;
		saved = errno;
	}
	if (ok)
		(void)disk_sync_name(path);
	else
		(void)unlink(tmp);
	errno = saved;
	return ok;
}

static bool public_half(EVP_PKEY *pkey, const char *origin, struct note_key *key)
{
	uint8_t pub[NOTE_KEY_SIZE];
	size_t len = sizeof pub;
	return EVP_PKEY_get_raw_public_key(pkey, pub, &len) == 1 && len == sizeof pub &&
	       note_key_make(key, origin, pub);
}

static int write_key(EVP_PKEY *pkey, const char *path, struct why *why)
{
	char *pem = NULL;
	int err = STORE_ENOMEM;
	BIO *bio = BIO_new(BIO_s_secmem());
	if (!bio || PEM_write_bio_PKCS8PrivateKey(bio, pkey, NULL, NULL, 0, NULL, NULL) != 1)
		goto out;
	long len = BIO_get_mem_data(bio, &pem);
	err = 0;
	if (!store_pem(path, pem, (size_t)len)) {
		err = errno == EEXIST ? STORE_EEXIST : errno == ENOSPC ? STORE_ENOSPC : STORE_EROFS;
		why_set(why, err == STORE_EEXIST ? "choose another origin" : "check the directory",
		        "cannot write the key %s: %s", path, strerror(errno));
	}
out:
	BIO_free(bio);
	return err;
}

int key_create(const char *dir, const char *origin, char *vkey, size_t vkey_size,
               struct why *why)
{
	char path[PATH_MAX], text[VKEY_SIZE];
	struct note_key key;
	int err = key_path(dir, origin, path, sizeof path);
	if (err || strchr(origin, '+')) {
		why_set(why, "choose a shorter, plainer origin", "%s cannot name a key", origin);
		return STORE_EINVAL;
	}
	if (!make_dir(dir)) {
		why_set(why, "check its permissions", "cannot make %s: %s", dir, strerror(errno));
		return STORE_EROFS;
	}
	EVP_PKEY *pkey = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	if (!pkey || !public_half(pkey, origin, &key)) {
		why_set(why, "check the OpenSSL installation", "OpenSSL cannot make an Ed25519 key");
		err = STORE_ENOMEM;
		goto out;
	}
	note_key_print(&key, text);
	if (strlen(text) >= vkey_size) {
		err = STORE_EINVAL;
		goto out;
	}
	err = write_key(pkey, path, why);
	if (!err)
		memcpy(vkey, text, strlen(text) + 1);
out:
	EVP_PKEY_free(pkey);
	return err;
}

/* Never ask: a daemon has no terminal. */
static int no_passphrase(char *buf, int size, int rwflag, void *ctx)
{
	(void)buf, (void)size, (void)rwflag, (void)ctx;
	return -1;
}

/* A key that others could read proves nothing; one of another user may be known to that user. */
static bool is_private(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 077) == 0 &&
	       (st.st_uid == geteuid() || geteuid() == 0);
}

int key_load(const char *dir, const char *origin, EVP_PKEY **pkey, struct note_key *key)
{
	char path[PATH_MAX];
	int err = key_path(dir, origin, path, sizeof path);
	if (err)
		return err;
	FILE *file = fopen(path, "re");
	if (!file)
		return errno == ENOENT || errno == ENOTDIR ? STORE_ENOENT : STORE_EROFS;
	if (!is_private(fileno(file))) {
		(void)fclose(file);
		return STORE_EINVAL;
	}
	EVP_PKEY *loaded = PEM_read_PrivateKey(file, NULL, no_passphrase, NULL);
	(void)fclose(file);
	if (!loaded || EVP_PKEY_get_base_id(loaded) != EVP_PKEY_ED25519 ||
	    !public_half(loaded, origin, key)) {
		EVP_PKEY_free(loaded);
		return STORE_EFORMAT;
	}
	if (pkey)
		*pkey = loaded;
	else
		EVP_PKEY_free(loaded);
	return 0;
}
