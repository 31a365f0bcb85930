#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ring.h"

#define RING_MIN_SIZE 16
#define RING_MAX_SIZE (1u << 20)

struct ring {
	uint8_t *data;
	size_t size;	/* a power of two */
	size_t head;	/* next byte to write */
	size_t tail;	/* next byte to read */
	unsigned flags;
};

static size_t round_up(size_t n)
{
	size_t size = RING_MIN_SIZE;

	while (size < n)
		size <<= 1;
	return size;
}

struct ring *ring_create(size_t size, unsigned flags)
{
	struct ring *r;

	if (size == 0 || size > RING_MAX_SIZE) {
		errno = EINVAL;
		return NULL;
	}
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->size = round_up(size);
	r->flags = flags;
	r->data = malloc(r->size);
	if (!r->data) {
		free(r);
		return NULL;
	}
	return r;
}

void ring_destroy(struct ring *r)
{
	if (!r)
		return;
	free(r->data);
	free(r);
}

size_t ring_used(const struct ring *r)
{
	return r->head - r->tail;
}

size_t ring_free(const struct ring *r)
{
	return r->size - (r->head - r->tail);
}

size_t ring_write(struct ring *r, const void *src, size_t len)
{
	size_t room = ring_free(r);
	size_t at = r->head & (r->size - 1);
	size_t first;

	if (len > room)
		len = room;
	first = r->size - at;
	if (first > len)
		first = len;
	memcpy(r->data + at, src, first);
	memcpy(r->data, (const uint8_t *)src + first, len - first);
	r->head += len;
	return len;
}

size_t ring_read(struct ring *r, void *dst, size_t len)
{
	size_t used = ring_used(r);
	size_t at = r->tail & (r->size - 1);
	size_t first;

	if (len > used)
		len = used;
	first = r->size - at;
	if (first > len)
		first = len;
	memcpy(dst, r->data + at, first);
	memcpy((uint8_t *)dst + first, r->data, len - first);
	r->tail += len;
	return len;
}
