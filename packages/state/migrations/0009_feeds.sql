CREATE TABLE `feeds` (
	`repo_id` integer NOT NULL,
	`name` text NOT NULL,
	`cursor` text,
	`etag` text,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`repo_id`, `name`),
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
INSERT INTO `feeds` (`repo_id`, `name`, `cursor`, `etag`, `updated_at`)
SELECT `repo_id`, `feed`, `cursor`, `etag`, `updated_at` FROM `poll_cursors`
WHERE `feed` IN ('issues', 'issue_comments', 'review_comments', 'pulls', 'actions_runs');
--> statement-breakpoint
DROP TABLE `poll_cursors`;
