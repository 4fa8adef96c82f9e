// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of other drivers in jobs, and ours in other files (M6). Each test runs
 * with every exporter that the kernel has.
 */
#include <poll.h>

#include "dmabuf.h"
#include "scoria_test.h"

static int (* const exporters[])(uint64_t size) = { udmabuf_create, heap_create };

/* Memory of an exporter as the CPU sees it, and as a handle of a file. */
struct foreign {
	int buf;
	uint8_t *map;
	uint64_t size;
	uint32_t handle;
};

static int foreign_create(size_t exporter, uint64_t size, struct foreign *foreign)
{
	*foreign = (struct foreign) { .buf = exporters[exporter](size), .size = size };
	if (foreign->buf < 0)
		return foreign->buf;
	foreign->map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, foreign->buf, 0);
	return foreign->map == MAP_FAILED ? -errno : 0;
}

/* Memory of the next exporter that the kernel has; @i counts. */
static bool foreign_next(size_t *i, uint64_t size, struct foreign *foreign)
{
	while (*i < ARRAY_SIZE(exporters))
		if (!foreign_create((*i)++, size, foreign))
			return true;
	return false;
}

static void foreign_destroy(struct foreign *foreign)
{
	munmap(foreign->map, foreign->size);
	close(foreign->buf);
}

static int foreign_fill(struct foreign *foreign, const void *data, size_t size)
{
	int ret = buf_sync(foreign->buf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE);

	memcpy(foreign->map, data, size);
	return ret ? ret : buf_sync(foreign->buf, DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE);
}

static int close_handle(int fd, uint32_t handle)
{
	struct bo bo = { .handle = handle };

	return bo_close(fd, &bo);
}

/* The driver says where in the NPU's addresses the buffer is. */
static int import_at(int fd, struct foreign *foreign, uint64_t *address)
{
	struct drm_scoria_bo_info info = { .address = 0 };
	int ret = handle_import(fd, foreign->buf, &foreign->handle);

	if (!ret)
		ret = bo_info(fd, foreign->handle, &info);
	*address = info.address;
	return ret;
}

FIXTURE(dmabuf) {
	int fd;
	struct matmul matmul;
	struct submission s;
};

FIXTURE_SETUP(dmabuf)
{
	DEVICE_SETUP(self);
	ASSERT_EQ(0, matmul_create(self->fd, &self->matmul));
	matmul_prepare(&self->matmul, &self->s);
}

FIXTURE_TEARDOWN(dmabuf)
{
	matmul_destroy(self->fd, &self->matmul);
	close(self->fd);
}

/* The region of the job is now in @foreign. */
static int use_foreign(int fd, struct matmul *matmul, struct submission *s, enum job_region region,
		       struct foreign *foreign)
{
	uint64_t address;
	int ret = import_at(fd, foreign, &address);

	if (ret)
		return ret;
	matmul_point(matmul, region, (uint32_t)address);
	if (region == JOB_OUTPUT)
		s->out[0] = foreign->handle;
	else
		s->in[1 + region] = foreign->handle;
	return bo_fini(fd, &matmul->commands);
}

static int submit_and_wait(int fd, struct submission *s)
{
	int ret = submit(fd, s);

	return ret ? ret : bo_prep(fd, &(struct bo) { .handle = s->out[0] });
}

TEST_F(dmabuf, kernel_has_an_exporter)
{
	struct foreign foreign;
	size_t i = 0;

	ASSERT_TRUE(foreign_next(&i, 4096, &foreign));
	foreign_destroy(&foreign);
}

TEST_F(dmabuf, job_reads_memory_of_another_driver)
{
	struct foreign foreign;

	for (size_t i = 0; foreign_next(&i, 4096, &foreign);) {
		ASSERT_EQ(0, use_foreign(self->fd, &self->matmul, &self->s, JOB_INPUT, &foreign));
		memset(self->matmul.region[JOB_INPUT].map, 0, MATMUL_BO_BYTES);
		ASSERT_EQ(0, foreign_fill(&foreign, job_input, sizeof(job_input)));
		memset(self->matmul.region[JOB_OUTPUT].map, SENTINEL, MATMUL_BO_BYTES);
		ASSERT_EQ(0, matmul_flush(self->fd, &self->matmul));
		EXPECT_EQ(0, submit_and_wait(self->fd, &self->s));
		EXPECT_TRUE(matmul_is_right(&self->matmul));
		EXPECT_EQ(0, close_handle(self->fd, foreign.handle));
		foreign_destroy(&foreign);
	}
}

TEST_F(dmabuf, job_writes_memory_of_another_driver)
{
	struct foreign foreign;

	for (size_t i = 0; foreign_next(&i, 4096, &foreign);) {
		ASSERT_EQ(0, use_foreign(self->fd, &self->matmul, &self->s, JOB_OUTPUT, &foreign));
		memset(foreign.map, SENTINEL, foreign.size);
		EXPECT_EQ(0, submit_and_wait(self->fd, &self->s));
		EXPECT_EQ(0, buf_sync(foreign.buf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ));
		EXPECT_EQ(0, memcmp(foreign.map, job_expected, sizeof(job_expected)));
		for (size_t at = sizeof(job_expected); at < foreign.size; at++)
			ASSERT_EQ(SENTINEL, foreign.map[at]);
		EXPECT_EQ(0, buf_sync(foreign.buf, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ));
		EXPECT_EQ(0, close_handle(self->fd, foreign.handle));
		foreign_destroy(&foreign);
	}
}

TEST_F(dmabuf, memory_stays_when_its_exporter_lets_go)
{
	struct foreign foreign;

	for (size_t i = 0; foreign_next(&i, 4096, &foreign);) {
		ASSERT_EQ(0, use_foreign(self->fd, &self->matmul, &self->s, JOB_INPUT, &foreign));
		ASSERT_EQ(0, foreign_fill(&foreign, job_input, sizeof(job_input)));
		foreign_destroy(&foreign);
		memset(self->matmul.region[JOB_OUTPUT].map, SENTINEL, MATMUL_BO_BYTES);
		ASSERT_EQ(0, matmul_flush(self->fd, &self->matmul));
		EXPECT_EQ(0, submit_and_wait(self->fd, &self->s));
		EXPECT_TRUE(matmul_is_right(&self->matmul));
		EXPECT_EQ(0, close_handle(self->fd, foreign.handle));
	}
}

/* The buffer outlives the file, in which a job still writes it. */
TEST_F(dmabuf, memory_stays_when_its_importer_goes)	/* U5 */
{
	struct foreign foreign;

	for (size_t i = 0; foreign_next(&i, 4096, &foreign);) {
		struct pollfd written = { .fd = foreign.buf, .events = POLLIN };
		int fd = device_reopen(self->fd);
		struct submission s;
		struct matmul matmul;

		ASSERT_EQ(0, matmul_create(fd, &matmul));
		matmul_prepare(&matmul, &s);
		ASSERT_EQ(0, use_foreign(fd, &matmul, &s, JOB_OUTPUT, &foreign));
		ASSERT_EQ(0, submit(fd, &s));
		matmul_destroy(fd, &matmul);
		close(fd);
		EXPECT_EQ(1, poll(&written, 1, JOB_SECONDS * 1000));
		EXPECT_EQ(0, buf_sync(foreign.buf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ));
		EXPECT_EQ(0, memcmp(foreign.map, job_expected, sizeof(job_expected)));
		EXPECT_EQ(0, buf_sync(foreign.buf, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ));
		foreign_destroy(&foreign);
	}
}

TEST_F(dmabuf, two_files_import_the_same)
{
	struct foreign foreign;

	for (size_t i = 0; foreign_next(&i, 4096, &foreign);) {
		int fd = device_reopen(self->fd);
		struct foreign again = foreign;
		struct submission s;
		struct matmul matmul;

		/* what the first writes the second reads, without a wait between */
		ASSERT_EQ(0, matmul_create(fd, &matmul));
		matmul_prepare(&matmul, &s);
		ASSERT_EQ(0, use_foreign(fd, &matmul, &s, JOB_INPUT, &again));
		ASSERT_EQ(0, use_foreign(self->fd, &self->matmul, &self->s, JOB_OUTPUT, &foreign));
		ASSERT_EQ(0, submit(self->fd, &self->s));
		ASSERT_EQ(0, submit(fd, &s));
		EXPECT_EQ(0, bo_prep(fd, &matmul.region[JOB_OUTPUT]));
		EXPECT_EQ(0, memcmp(foreign.map, job_expected, sizeof(job_expected)));
		EXPECT_FALSE(matmul_is_untouched(&matmul));
		EXPECT_EQ(0, close_handle(self->fd, foreign.handle));
		matmul_destroy(fd, &matmul);
		close(fd);
		foreign_destroy(&foreign);
	}
}

TEST_F(dmabuf, same_memory_has_one_handle_in_a_file)
{
	struct foreign foreign;

	for (size_t i = 0; foreign_next(&i, 4096, &foreign);) {
		uint32_t again;

		ASSERT_EQ(0, handle_import(self->fd, foreign.buf, &foreign.handle));
		ASSERT_EQ(0, handle_import(self->fd, foreign.buf, &again));
		EXPECT_EQ(foreign.handle, again);
		EXPECT_EQ(0, close_handle(self->fd, again));
		EXPECT_EQ(-ENOENT, bo_prep(self->fd, &(struct bo) { .handle = again }));
		foreign_destroy(&foreign);
	}
}

/* Through the node, at the offset that the driver says. */
TEST_F(dmabuf, imported_memory_can_be_mapped)
{
	struct drm_scoria_bo_info info;
	struct foreign foreign;

	for (size_t i = 0; foreign_next(&i, 3 * 4096, &foreign);) {
		uint8_t *map;

		ASSERT_EQ(0, handle_import(self->fd, foreign.buf, &foreign.handle));
		ASSERT_EQ(0, bo_info(self->fd, foreign.handle, &info));
		EXPECT_EQ(3 * 4096, info.size);
		map = mmap(NULL, info.size, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd,
			   (off_t)info.offset);
		ASSERT_NE(MAP_FAILED, (void *)map);
		map[2 * 4096] = 0x5a;
		EXPECT_EQ(0x5a, foreign.map[2 * 4096]);
		munmap(map, info.size);
		EXPECT_EQ(0, close_handle(self->fd, foreign.handle));
		foreign_destroy(&foreign);
	}
}

/* From a page to more than an IOMMU's page table covers: the last byte is there. */
TEST_F(dmabuf, sizes_are_whole_pages)
{
	static const uint64_t pages[] = { 1, 3, 17, 1025 };
	struct foreign foreign;

	for (size_t size = 0; size < ARRAY_SIZE(pages); size++)
		for (size_t i = 0; foreign_next(&i, pages[size] * 4096, &foreign);) {
			const uint64_t last = foreign.size - 4096;
			uint64_t address;

			ASSERT_EQ(0, import_at(self->fd, &foreign, &address));
			matmul_point(&self->matmul, JOB_OUTPUT, (uint32_t)(address + last));
			ASSERT_EQ(0, bo_fini(self->fd, &self->matmul.commands));
			self->s.out[0] = foreign.handle;
			EXPECT_EQ(0, submit_and_wait(self->fd, &self->s));
			EXPECT_EQ(0, memcmp(foreign.map + last, job_expected,
					    sizeof(job_expected)));
			/* a unit more would be somebody else's */
			matmul_point(&self->matmul, JOB_OUTPUT, (uint32_t)(address + foreign.size));
			ASSERT_EQ(0, bo_fini(self->fd, &self->matmul.commands));
			EXPECT_GT(0, submit_and_wait(self->fd, &self->s));
			EXPECT_EQ(0, close_handle(self->fd, foreign.handle));
			foreign_destroy(&foreign);
		}
}

/* The kernel copies commands with the CPU, from pages of its own only. */
TEST_F(dmabuf, commands_in_memory_of_another_driver_are_refused)
{
	struct foreign foreign;

	for (size_t i = 0; foreign_next(&i, 4096, &foreign);) {
		uint64_t address;

		ASSERT_EQ(0, import_at(self->fd, &foreign, &address));
		ASSERT_EQ(0, foreign_fill(&foreign, self->matmul.commands.map, sizeof(job_words)));
		self->s.task.regcmd = (uint32_t)address;
		EXPECT_EQ(-EINVAL, submit(self->fd, &self->s));
		EXPECT_EQ(0, close_handle(self->fd, foreign.handle));
		foreign_destroy(&foreign);
	}
	EXPECT_EQ(0, matmul_runs(self->fd));
}

TEST_F(dmabuf, what_is_no_dmabuf_is_refused)
{
	int file = open("/dev/null", O_RDWR | O_CLOEXEC);
	uint32_t handle;

	EXPECT_EQ(-EINVAL, handle_import(self->fd, file, &handle));
	close(file);
	EXPECT_EQ(-EBADF, handle_import(self->fd, file, &handle));
	EXPECT_EQ(-EBADF, handle_import(self->fd, -1, &handle));
	EXPECT_EQ(-ENOENT, handle_export(self->fd, 0x7fffffff));
}

/* Two handles of one file on one buffer are one mapping; either may go first. */
TEST_F(dmabuf, own_export_comes_back_as_the_same_handle)
{
	int buf = handle_export(self->fd, self->matmul.region[JOB_INPUT].handle);
	uint32_t handle;

	ASSERT_LE(0, buf);
	ASSERT_EQ(0, handle_import(self->fd, buf, &handle));
	EXPECT_EQ(self->matmul.region[JOB_INPUT].handle, handle);
	EXPECT_EQ(0, submit_and_wait(self->fd, &self->s));
	EXPECT_TRUE(matmul_is_right(&self->matmul));
	close(buf);
}

TEST_F(dmabuf, own_buffer_is_exported_with_all_its_pages)
{
	struct bo bo;
	int buf;

	ASSERT_EQ(0, bo_create_unmapped(self->fd, 4097, &bo));
	buf = handle_export(self->fd, bo.handle);
	ASSERT_LE(0, buf);
	EXPECT_EQ(8192, lseek(buf, 0, SEEK_END));
	EXPECT_EQ(0, bo_close(self->fd, &bo));
	close(buf);
}

/* Imported into another file, ours outlives the one that made it. */
TEST_F(dmabuf, export_is_a_buffer_of_the_other_file)	/* U5 */
{
	int other = device_reopen(self->fd);
	struct foreign foreign = { .size = 8192 };
	struct submission s;
	struct matmul matmul;
	struct bo bo;

	ASSERT_EQ(0, bo_create(other, 8192, &bo));
	foreign.buf = handle_export(other, bo.handle);
	ASSERT_LE(0, foreign.buf);
	foreign.map = bo.map;
	bo.map = NULL;
	bo_close(other, &bo);
	close(other);
	ASSERT_EQ(0, matmul_create(self->fd, &matmul));
	matmul_prepare(&matmul, &s);
	ASSERT_EQ(0, use_foreign(self->fd, &matmul, &s, JOB_OUTPUT, &foreign));
	EXPECT_EQ(0, submit_and_wait(self->fd, &s));
	EXPECT_EQ(0, memcmp(foreign.map, job_expected, sizeof(job_expected)));
	EXPECT_EQ(0, close_handle(self->fd, foreign.handle));
	matmul_destroy(self->fd, &matmul);
	foreign_destroy(&foreign);
}

TEST_HARNESS_MAIN
